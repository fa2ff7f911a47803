public import LatchkeyModel

/// A report on this device's login: how it is stored, its state, and whether the server is usable.
public struct Diagnosis: Sendable {
    /// The certificate of this device.
    public struct Certificate: Sendable {
        /// The expiry of the certificate.
        public let notAfter: Timestamp

        /// The time after which the next request or session check renews the certificate automatically.
        public let renewalDate: Timestamp
    }

    /// The identity server's answer.
    public struct Server: Sendable {
        /// The version of the server, or `nil` if it does not report one.
        public let version: String?

        /// The API contract version, or `nil` for other server implementations.
        public let contract: Int64?

        /// How far this device's clock is ahead of the server's; negative if it is behind.
        public let clockAhead: Duration?

        /// The time between the request and the answer.
        public let answerTime: Duration
    }

    /// The kind of storage that holds the session.
    public let storage: StorageReport

    /// The state of the session.
    public let session: SessionState

    /// This device's certificate, or `nil` if no user is logged in or the server issued none.
    public let certificate: Certificate?

    /// The server's answer, or the error of the request.
    public let server: Result<Server, LatchkeyError>

    /// The problems found, one sentence for developers each; empty if there are none.
    public let problems: [String]
}

/// The evaluation that determines a report's problems.
extension Diagnosis {
    /// The clock difference above which a problem is reported; with a larger difference, DPoP proofs must be
    /// repeated with a nonce from the server.
    static let clockTolerance = Duration.seconds(60)

    /// Creates a report and determines its problems.
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
            Certificate(notAfter: $0.notAfter, renewalDate: $0.renewalDate)
        }
        var problems: [String] = []
        if storage.isErasurePending {
            problems.append("The record of an ended session has not been erased yet. Unlock the keyring.")
        }
        if let watchProblem { problems.append(watchProblem) }
        if case .unavailable(let reason) = session {
            problems.append("The session cannot be read: \(reason.sentence)")
        }
        if let certificate, certificate.notAfter <= now {
            problems.append("The device certificate expired at \(certificate.notAfter). Log in again.")
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
                    "The server implements API contract \(contract), this client \(Self.contract). Update the older of the two."
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
