#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system's error numbers in words that say what to do.
package enum SystemReason {
  /// For the codes that files, folders and pipes give; others as the system calls them.
  package static func text(_ code: Int32 = errno) -> String {
    switch code {
    case ENOENT: "there is no such file or folder; check the path"
    case EACCES, EPERM: "this user has no permission; change the permissions or choose another place"
    case EROFS: "the disk is read-only; choose another place"
    case EEXIST: "it exists already; choose another name"
    case EISDIR: "it is a folder; expected a file"
    case ENOTDIR: "a part of the path is a file; expected a folder"
    case ENAMETOOLONG: "the name is too long; choose a shorter one"
    case ELOOP: "its links lead in a circle; check the path"
    case ENOSPC, EDQUOT: "the disk is full; free some space or choose another place"
    case EFBIG: "the file would pass the size limit of the process or of the disk; raise it or choose another place"
    case EMFILE, ENFILE: "too many files are open; close some or raise the limit"
    case EPIPE: "its reader has gone"
    case EBADF: "it is closed"
    default: String(cString: strerror(code))
    }
  }
}
