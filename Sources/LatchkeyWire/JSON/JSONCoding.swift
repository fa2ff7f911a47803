#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The package's one door to the general JSON encoder and decoder.
package enum JSONCoding {
    /// Decodes a value.
    ///
    /// - Throws: `DecodingError`, which names the place and never quotes the text.
    package static func decode<Value: Decodable>(_ type: Value.Type = Value.self, from bytes: [UInt8]) throws
        -> Value
    {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// Decodes a value from JSON5, the form of configuration files.
    package static func decodeJSON5<Value: Decodable>(_ type: Value.Type = Value.self, from bytes: [UInt8])
        throws -> Value
    {
        // In a name without quotes, the decoder does not refuse bytes that are no UTF-8: it ends the process.
        guard String(validating: bytes, as: UTF8.self) != nil else {
            let place = DecodingError.Context(codingPath: [], debugDescription: "The text is not UTF-8.")
            throw DecodingError.dataCorrupted(place)
        }
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        // Of a number at the end, the decoder reads on into what lies behind it, which may end the process, too.
        return try decoder.decode(type, from: Data(bytes + [UInt8(ascii: "\n")]))
    }

    /// Encodes a value with sorted keys, so that equal values have equal texts.
    package static func encode(_ value: some Encodable, indented: Bool = false) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            indented
            ? [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted] : [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }
}
