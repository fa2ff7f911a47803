import COpenSSL
import LatchkeyModel

/// Converts between timestamps and the times in certificates, which are whole seconds in UTC.
enum ValidityTime {
    /// Sets an `ASN1_TIME` to a timestamp, rounded down to whole seconds.
    static func set(
        _ time: UnsafeMutablePointer<ASN1_TIME>?,
        to timestamp: Timestamp
    ) throws(CryptoError) {
        guard let time, ASN1_TIME_set(time, Int(timestamp.seconds)) != nil else {
            throw .openSSL(.malformed, message: "The time cannot be represented in a certificate.")
        }
    }

    /// Returns the timestamp for an `ASN1_TIME`.
    static func timestamp(of time: UnsafePointer<ASN1_TIME>?) throws(CryptoError) -> Timestamp {
        guard let epoch = ASN1_TIME_set(nil, 0) else {
            throw .openSSL(.failed, message: "The time cannot be created.")
        }
        defer { ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard let time, ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else {
            throw .openSSL(.malformed, message: "The certificate contains an invalid time.")
        }
        return Timestamp(seconds: Int64(days) * 86_400 + Int64(seconds))
    }
}
