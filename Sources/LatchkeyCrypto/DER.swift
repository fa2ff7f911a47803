/// Encoding and decoding with OpenSSL's `i2d_…` and `d2i_…` functions.
enum DER {
    /// Encodes a value.
    ///
    /// The encoder is called twice: first to get the length of the encoding, and then to write the encoding.
    static func encode(
        _ encoder: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) throws(CryptoError) -> [UInt8] {
        let length = encoder(nil)
        guard length > 0 else { throw .openSSL(.failed, message: "The value cannot be encoded.") }
        var written: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
            // The function advances the pointer past the bytes that it wrote.
            var position = buffer.baseAddress
            written = encoder(&position)
            count = written == length ? Int(length) : 0
        }
        guard written == length else {
            throw .openSSL(.failed, message: "The encoded value has an unexpected length.")
        }
        return bytes
    }

    /// Decodes a value with a `d2i_…` function.
    ///
    /// If there are trailing bytes, the value is freed and `nil` is returned.
    static func decode(
        _ bytes: [UInt8],
        with decoder: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?,
        free: (OpaquePointer) -> Void
    ) -> OpaquePointer? {
        bytes.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            guard position != nil, let value = decoder(&position, buffer.count) else { return nil }
            guard position == buffer.baseAddress.map({ $0 + buffer.count }) else {
                free(value)
                return nil
            }
            return value
        }
    }
}
