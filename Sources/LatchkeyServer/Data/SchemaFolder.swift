#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A folder with the operator's identity schemas.
///
/// The file `ID.json` contains the schema with the id `ID`.
struct SchemaFolder: Sendable {
    let path: String

    /// Reads all schemas in the folder.
    ///
    /// Hidden files and files that aren't JSON are skipped.
    ///
    /// - Returns: The unparsed schemas. The keys are the ids of the schemas.
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
