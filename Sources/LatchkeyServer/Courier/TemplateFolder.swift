import LatchkeyCourier

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A folder of files, such as `LANGUAGE/KIND.sms.txt`, that override the built-in message texts.
struct TemplateFolder: Sendable {
    /// The value of the setting `courier.templates`.
    let path: String

    /// Returns the built-in texts, with any overrides from the folder.
    ///
    /// - Throws: ``IdentityServerError``, which lists each invalid file and, if known, the line of the
    ///   problem.
    func catalog() throws(IdentityServerError) -> MessageCatalog {
        let files = try files()
        do throws(MessageCatalog.Malformed) {
            return try MessageCatalog(replacing: files)
        } catch {
            let problems = error.problems.map { "\(path)/\($0)" }
            throw IdentityServerError(.configuration, message: problems.joined(separator: "\n"))
        }
    }

    /// Returns the contents of all files in the folder and its direct subfolders.
    ///
    /// The keys are relative paths. Hidden files are skipped.
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

    /// Returns the names of the files in a folder in ascending order.
    ///
    /// Hidden files are skipped.
    private func names(_ folder: String) throws(IdentityServerError) -> [String] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw IdentityServerError(.configuration, message: "cannot read the folder \(folder)")
        }
        return names.filter { !$0.hasPrefix(".") }.sorted()
    }

    /// Reads a file.
    ///
    /// A folder cannot be read.
    private func contents(_ file: String) throws(IdentityServerError) -> [UInt8] {
        guard !Self.isFolder(file), let bytes = try? PrivateFile(file).contents() else {
            throw IdentityServerError(.configuration, message: "cannot read the file \(file)")
        }
        return bytes
    }

    private static func isFolder(_ path: String) -> Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) != nil
    }
}
