import LatchkeyModel
package import LatchkeyWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSONCoding {
    /// Decodes a value from JSON5, the format used in configuration files.
    ///
    /// - Throws: `InvalidUTF8` if the text isn't UTF-8, `DecodingError` if it doesn't match the type, or
    ///   ``DuplicateMember`` if an object contains the same name twice.
    package static func decodeJSON5<Value: Decodable>(_ type: Value.Type = Value.self, from bytes: [UInt8])
        throws -> Value
    {
        // The decoder crashes if an unquoted name contains invalid UTF-8.
        _ = try String(utf8: bytes)
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        // We append a line feed because the decoder reads past the end of the data when it ends with a
        // number, which can also cause a crash.
        let value = try decoder.decode(type, from: Data(bytes + [UInt8(ascii: "\n")]))
        // The decoder ignores all but one of several members with the same name.
        var members = JSON5Members(bytes)
        if let duplicate = members.duplicate() { throw duplicate }
        return value
    }
}
