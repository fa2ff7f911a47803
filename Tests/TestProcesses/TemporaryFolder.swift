import Foundation

/// A temporary folder for one test.
///
/// The folder is deleted when this object is deinitialized.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() {
        path = NSTemporaryDirectory() + "latchkey-" + UUID().uuidString
        // We can ignore errors, because a test that uses the folder fails if the folder doesn't exist.
        try? FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Returns the path of a file in the folder.
    ///
    /// The file does not have to exist.
    package func file(_ name: String = "test.db") -> String {
        path + "/" + name
    }

    /// Creates a subfolder.
    package func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
    }

    /// Writes a file and returns its path.
    package func write(_ text: String, as name: String = "file", mode: Int = 0o644) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file(name))
        return file(name)
    }

    /// Returns the permissions of a file.
    package func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    /// Returns the contents of all files in the folder and its subfolders, keyed by path.
    package func contents() throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: file(name), isDirectory: &isFolder),
                !isFolder.boolValue
            else { continue }
            contents[name] = Array(try Data(contentsOf: URL(fileURLWithPath: file(name))))
        }
        return contents
    }
}
