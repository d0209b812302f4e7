/// What is wrong with a JSON text, and at which byte.
@usableFromInline
package struct JSONFault: Error {
  package let offset: Int
  package let reason: String

  package init(offset: Int, reason: String) {
    self.offset = offset
    self.reason = reason
  }
}
