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

    /// Decodes a value from JSON5, the format of configuration files.
    ///
    /// - Throws: `DecodingError`, also for bytes that are not UTF-8.
    package static func decodeJSON5<Value: Decodable>(_ type: Value.Type = Value.self, from bytes: [UInt8])
        throws -> Value
    {
        // The decoder crashes on invalid UTF-8 in an unquoted name.
        guard String(validating: bytes, as: UTF8.self) != nil else {
            let place = DecodingError.Context(codingPath: [], debugDescription: "The text is not UTF-8.")
            throw DecodingError.dataCorrupted(place)
        }
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        // The decoder reads beyond a number at the end of the data, which may also crash; the line feed
        // prevents that.
        return try decoder.decode(type, from: Data(bytes + [UInt8(ascii: "\n")]))
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
