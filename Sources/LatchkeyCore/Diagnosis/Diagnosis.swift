import LatchkeyModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A report about the login on this device: how the session is stored, what state it is in, and whether the
/// server can be reached.
public struct Diagnosis: Sendable {
    /// The certificate issued for this device.
    public struct Certificate: Sendable {
        /// The certificate's expiry date.
        public let notAfter: Date

        /// The time at which the certificate is due for renewal.
        ///
        /// After this time, the certificate is renewed automatically by the next request or session check.
        public let renewalDate: Date
    }

    /// The identity server's response.
    public struct Server: Sendable {
        /// The server's version, or `nil` if the server doesn't report one.
        public let version: String?

        /// The version of the API contract that the server implements, or `nil` for servers other than
        /// Latchkey.
        public let contract: Int64?

        /// The difference between this device's clock and the server's.
        ///
        /// The value is negative if the device's clock is behind.
        public let clockAhead: Duration?

        /// The time that the server took to respond.
        public let answerTime: Duration
    }

    /// The kind of storage that the session is saved in.
    public let storage: StorageReport

    /// The current state of the session.
    public let session: SessionState

    /// This device's certificate, or `nil` if no user is logged in or the server didn't issue one.
    public let certificate: Certificate?

    /// The server's response, or the error if the request failed.
    public let server: Result<Server, LatchkeyError>

    /// The problems found, each described in a sentence for developers.
    ///
    /// The list is empty if everything is fine.
    public let problems: [String]
}

/// Determines which problems to report.
extension Diagnosis {
    /// The largest clock difference that isn't reported as a problem.
    ///
    /// If the difference is larger, requests with DPoP proofs have to be repeated with a nonce from the
    /// server.
    static let clockTolerance = Duration.seconds(60)

    /// Creates a report and determines which problems it contains.
    init(
        storage: StorageReport,
        session: SessionState,
        certificate: DeviceCertificate?,
        server: Result<Server, LatchkeyError>,
        watchProblem: String?,
        at now: Timestamp
    ) {
        (self.storage, self.session, self.server) = (storage, session, server)
        self.certificate = certificate.map {
            Certificate(notAfter: $0.notAfter.date, renewalDate: $0.renewalDate.date)
        }
        var problems: [String] = []
        if storage.isErasurePending {
            problems.append("The record of an earlier session has not been erased yet. Unlock the keyring.")
        }
        if let watchProblem { problems.append(watchProblem) }
        if case .unavailable(let reason) = session {
            problems.append("The session cannot be read: \(reason.sentence)")
        }
        if let certificate, certificate.notAfter <= now {
            problems.append("The device certificate expired on \(certificate.notAfter). Log in again.")
        }
        switch server {
        case .failure(let error):
            problems.append("The connection to the server failed: \(error.message)")
        case .success(let server):
            if let ahead = server.clockAhead, abs(ahead / .seconds(1)) > Self.clockTolerance / .seconds(1) {
                problems.append(
                    "This device's clock is \(abs(Int(ahead / .seconds(1)))) s "
                        + (ahead > .zero ? "ahead of" : "behind") + " the server's."
                )
            }
            if let contract = server.contract, contract != Self.contract {
                problems.append(
                    "The server implements API contract \(contract), but this client uses \(Self.contract). Update the older one."
                )
            }
        }
        self.problems = problems
    }
}

extension SessionState.Unavailability {
    fileprivate var sentence: String {
        switch self {
        case .notReadYet: "it has not been loaded yet."
        case .store(let error) where error.code == .newer: error.message + " " + LatchkeyError.newerAdvice
        case .store(let error): error.message
        }
    }
}
