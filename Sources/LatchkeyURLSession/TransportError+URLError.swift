import Foundation
import LatchkeyWire

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TransportError {
    /// Translates an error of a `URLSession` task.
    ///
    /// We don't use the original description because it can contain the URL.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - host: The host, for the message.
    ///   - isUnsent: Whether no part of the request's body was sent and no response was received. Some errors
    ///     usually occur while connecting, but also occur later.
    init(_ error: any Error, host: String, isUnsent: Bool) {
        let (code, message, neverSent) = Self.translation(of: error as? URLError)
        self.init(
            code,
            message: code == .cancelled ? message : "\(host): \(message)",
            neverSent: neverSent && isUnsent
        )
    }

    /// Returns the error for a request that is rejected before it is sent.
    static func invalid(_ message: String) -> TransportError {
        TransportError(.invalidRequest, message: message, neverSent: true)
    }

    /// Returns the error for an exchange that the caller has cancelled.
    static func cancelled(neverSent: Bool = false) -> TransportError {
        TransportError(.cancelled, message: "The task was cancelled.", neverSent: neverSent)
    }

    private static func translation(
        of error: URLError?
    ) -> (code: Code, message: String, neverSent: Bool) {
        guard let error else { return (.unreachable, "The connection failed.", false) }
        return switch error.code {
        case .cancelled: (.cancelled, "The task was cancelled.", false)
        case .timedOut: (.timedOut, "The request timed out.", false)
        case .cannotFindHost, .dnsLookupFailed: (.unreachable, "The host cannot be found.", true)
        case .cannotConnectToHost: (.unreachable, "The host refuses connections.", true)
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
            (.unreachable, "This device is not connected to a network.", true)
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateNotYetValid,
            .serverCertificateHasUnknownRoot, .clientCertificateRejected, .clientCertificateRequired:
            (.untrusted, "The server's certificate cannot be verified.", true)
        case .secureConnectionFailed, .appTransportSecurityRequiresSecureConnection:
            (.unreachable, "A secure connection could not be established.", true)
        case .badURL, .unsupportedURL: (.invalidRequest, "The URL is not supported.", true)
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData,
            .dataLengthExceedsMaximum, .zeroByteResource:
            (.invalidResponse, "The response cannot be read.", false)
        default: (.unreachable, "The connection failed (\(error.code.rawValue)).", false)
        }
    }
}
