#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The owner of the files that root creates in another user's folder.
package enum FileOwner {
    /// Gives a file that this process has just created to the owner of its folder.
    ///
    /// Without this, a command that an operator runs as root would create files that the server can't open.
    /// Other users can't give files away, so this has an effect only if the process runs as root.
    ///
    /// - Parameters:
    ///   - descriptor: The open file. It must be new, because root must not give away a file that another
    ///     user has put in its place, such as a link.
    ///   - path: The path of the file.
    /// - Returns: Whether the file belongs to the owner of the folder. If not, `errno` contains the reason.
    package static func inherit(_ descriptor: Int32, at path: String) -> Bool {
        guard geteuid() == 0 else { return true }
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        var (file, parent) = (stat(), stat())
        guard fstat(descriptor, &file) == 0, stat(folder, &parent) == 0 else { return false }
        if file.st_uid == parent.st_uid { return true }
        return fchown(descriptor, parent.st_uid, parent.st_gid) == 0
    }
}
