import LatchkeyServerCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A folder of the operator's own identity schemas: `ID.json` holds the schema `ID`.
struct SchemaFolder: Sendable {
    let path: String

    /// Reads all schemas of the folder.
    ///
    /// - Returns: Their texts by id.
    /// - Throws: ``IdentityServerError`` when the folder or a file cannot be read.
    func sources() throws -> [String: [UInt8]] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw IdentityServerError(.configuration, "identities.schemas: cannot read the folder \(path)")
        }
        var sources: [String: [UInt8]] = [:]
        for name in names where name.hasSuffix(".json") && !name.hasPrefix(".") {
            sources[String(name.dropLast(5))] = try PrivateFile(path + "/" + name).contents()
        }
        return sources
    }
}
