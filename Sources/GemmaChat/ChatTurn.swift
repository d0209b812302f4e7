/// One message of a conversation, as plain text.
package struct ChatTurn: Sendable, Hashable {
  package enum Role: String, Sendable, Hashable {
    case system, user, model
  }

  package var role: Role
  package var text: String

  package init(role: Role, text: String) {
    self.role = role
    self.text = text
  }
}
