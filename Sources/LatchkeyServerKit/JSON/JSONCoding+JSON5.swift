package import LatchkeyWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSONCoding {
    /// Decodes a value from JSON5, the format of configuration files.
    ///
    /// - Throws: `DecodingError`, also for bytes that are not UTF-8.
    package static func decodeJSON5<Value: Decodable>(_ type: Value.Type = Value.self, from bytes: [UInt8])
        throws -> Value
    {
        // The decoder crashes on invalid UTF-8 in an unquoted name.
        guard String(validating: bytes, as: UTF8.self) != nil else {
            let context = DecodingError.Context(codingPath: [], debugDescription: "The text is not UTF-8.")
            throw DecodingError.dataCorrupted(context)
        }
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        // The line feed prevents the decoder from reading beyond a number at the end of the data, which may
        // also crash.
        return try decoder.decode(type, from: Data(bytes + [UInt8(ascii: "\n")]))
    }
}
