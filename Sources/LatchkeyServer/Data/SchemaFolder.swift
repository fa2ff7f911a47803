#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A folder of the operator's identity schemas, in which `ID.json` contains the schema `ID`.
struct SchemaFolder: Sendable {
    let path: String

    /// Reads all schemas in the folder, and skips hidden files and files of other types.
    ///
    /// - Returns: The unparsed schemas, keyed by ID.
    /// - Throws: ``IdentityServerError`` if the folder cannot be read, or ``DataFolderError`` if a file
    ///   cannot be read.
    func sources() throws -> [String: [UInt8]] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw IdentityServerError(
                .configuration,
                message: "identities.schemas: cannot read the folder \(path)"
            )
        }
        var sources: [String: [UInt8]] = [:]
        for name in names where name.hasSuffix(".json") && !name.hasPrefix(".") {
            sources[String(name.dropLast(5))] = try PrivateFile(path + "/" + name).contents()
        }
        return sources
    }
}
