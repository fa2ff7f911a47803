import LatchkeyModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Encodes and decodes JSON.
///
/// This is the only place where we use Foundation's JSON encoder and decoder.
package enum JSONCoding {
    /// Decodes a value from JSON.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - bytes: The JSON text.
    ///   - keepsNumbers: Whether a ``JSONValue`` keeps the digits of all numbers. Other types can't decode
    ///     the numbers for which this matters, so pass `false` for a type of the app.
    /// - Returns: The decoded value.
    /// - Throws: `DecodingError`, which contains the coding path but none of the JSON text.
    package static func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        from bytes: [UInt8],
        keepsNumbers: Bool = true
    ) throws -> Value {
        let decoder = JSONDecoder()
        guard keepsNumbers, let marked = ExactNumbers.marking(bytes) else {
            return try decoder.decode(type, from: Data(bytes))
        }
        decoder.userInfo[ExactNumbers.key] = Locked(true)
        return try decoder.decode(type, from: Data(marked))
    }

    /// Encodes a value as JSON.
    ///
    /// Keys are sorted, so equal values always have the same encoding.
    ///
    /// Slashes are not escaped.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - indented: Whether to add line breaks and indentation to make the JSON easier to read.
    /// - Returns: The JSON text, encoded as UTF-8.
    /// - Throws: `EncodingError`, for example if a number isn't finite.
    package static func encode(_ value: some Encodable, indented: Bool = false) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            indented
            ? [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted] : [.sortedKeys, .withoutEscapingSlashes]
        let isMarking = Locked(false)
        encoder.userInfo[ExactNumbers.key] = isMarking
        let bytes = Array(try encoder.encode(value))
        return isMarking.withLock { $0 } ? ExactNumbers.unmarking(bytes) : bytes
    }
}
