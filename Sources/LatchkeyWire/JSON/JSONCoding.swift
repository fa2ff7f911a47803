#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The package's only use of Foundation's JSON encoder and decoder.
package enum JSONCoding {
    /// Decodes a value from JSON.
    ///
    /// - Throws: `DecodingError`, which contains the coding path and does not quote the text.
    package static func decode<Value: Decodable>(_ type: Value.Type = Value.self, from bytes: [UInt8]) throws
        -> Value
    {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// Encodes a value with sorted keys, so that equal values have equal encodings.
    ///
    /// Slashes are not escaped.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - indented: Whether the JSON has line breaks and indentation, to make it easier to read.
    /// - Returns: The JSON text in UTF-8.
    /// - Throws: `EncodingError`, for example for a number that is not finite.
    package static func encode(_ value: some Encodable, indented: Bool = false) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            indented
            ? [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted] : [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }
}
