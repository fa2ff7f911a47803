import LatchkeyCourier

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A folder of files such as `LANGUAGE/KIND.sms.txt`, whose texts override the built-in message texts.
struct TemplateFolder: Sendable {
    /// The value of the setting `courier.templates`.
    let path: String

    /// Returns the built-in texts, except where texts in the folder override them.
    ///
    /// - Throws: ``IdentityServerError``, which lists each invalid file, and the line if it is known.
    func catalog() throws(IdentityServerError) -> MessageCatalog {
        let files = try files()
        do throws(MessageCatalog.Malformed) {
            return try MessageCatalog(replacing: files)
        } catch {
            let problems = error.problems.map { "\n  \(path)/\($0)" }.joined()
            throw IdentityServerError(
                .configuration,
                message: "courier.templates contains invalid templates:\(problems)"
            )
        }
    }

    /// Returns the contents of all files in the folder and its direct subfolders except hidden files, keyed
    /// by relative path.
    private func files() throws(IdentityServerError) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try names(path) {
            let folder = path + "/" + name
            guard Self.isFolder(folder) else {
                files[name] = try contents(folder)
                continue
            }
            for file in try names(folder) { files[name + "/" + file] = try contents(folder + "/" + file) }
        }
        return files
    }

    /// Returns the names of the files in a folder in ascending order, without hidden files.
    private func names(_ folder: String) throws(IdentityServerError) -> [String] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw IdentityServerError(
                .configuration,
                message: "courier.templates: cannot read the folder \(folder)"
            )
        }
        return names.filter { !$0.hasPrefix(".") }.sorted()
    }

    /// Reads a file, or throws an error that names the setting if the path is a folder or a file that cannot
    /// be read.
    private func contents(_ file: String) throws(IdentityServerError) -> [UInt8] {
        guard !Self.isFolder(file), let bytes = try? PrivateFile(file).contents() else {
            throw IdentityServerError(
                .configuration,
                message: "courier.templates: cannot read the file \(file)"
            )
        }
        return bytes
    }

    private static func isFolder(_ path: String) -> Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) != nil
    }
}
