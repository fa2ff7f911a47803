import LatchkeyAccounts
import LatchkeySelfService

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

    /// Returns the ids of the schemas in the folder in ascending order.
    ///
    /// Hidden files and files that aren't JSON are skipped.
    ///
    /// - Throws: ``IdentityServerError`` if the folder cannot be read.
    func names() throws(IdentityServerError) -> [String] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw IdentityServerError(.configuration, message: "cannot read the folder \(path)")
        }
        return names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.map { String($0.dropLast(5)) }
            .sorted()
    }

    /// Returns the text of a schema.
    ///
    /// - Throws: ``IdentityServerError`` if the file cannot be read.
    func source(of name: String) throws(IdentityServerError) -> [UInt8] {
        let file = "\(path)/\(name).json"
        guard let source = try? PrivateFile(file).contents() else {
            throw IdentityServerError(.configuration, message: "cannot read the file \(file)")
        }
        return source
    }
}
