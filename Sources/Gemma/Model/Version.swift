/// The version of this package.
public enum GemmaVersion {
  /// As in the changelog's newest heading.
  public static let current = "0.1.0"
}
