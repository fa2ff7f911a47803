package import LatchkeyModel

/// Signs the payload of a JWS (ES256) with a key in the server's JWK Set.
///
/// The parameters are the payload, the type in the header (`typ`) and the current time. The result is a JWS
/// in compact serialization.
package typealias HistorySigner =
    @Sendable (_ payload: [UInt8], _ type: String, _ now: Timestamp) async throws ->
    Secret
