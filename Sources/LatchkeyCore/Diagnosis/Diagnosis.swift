public import LatchkeyModel

/// What a device can find out about its own login: where it is kept, and whether the server can be worked with.
public struct Diagnosis: Sendable {
    /// The certificate of this device.
    public struct Certificate: Sendable {
        /// When it ceases to be valid.
        public let notAfter: Timestamp

        /// From when on it is renewed, by itself, at the next check of the session.
        public let renewalDate: Timestamp
    }

    /// What the identity server said.
    public struct Server: Sendable {
        /// Its version; nothing when it does not tell.
        public let version: String?

        /// The contract that it speaks; nothing for another make.
        public let contract: Int64?

        /// How far this device's clock is ahead of the server's; negative when it is behind.
        public let clockAhead: Duration?

        /// How long it took to answer.
        public let answerTime: Duration
    }

    /// Where the session is kept.
    public let storage: StorageReport

    /// Whether somebody is logged in.
    public let session: SessionState

    /// This device's certificate, when somebody is logged in.
    public let certificate: Certificate?

    /// What the server said, or why nothing.
    public let server: Result<Server, LatchkeyError>

    /// What is wrong, in sentences for a developer; empty when nothing is.
    public let problems: [String]
}

extension Diagnosis {
    /// From how far on a clock is worth a word: proofs of the device's key are then repeated with a nonce.
    static let clockTolerance = Duration.seconds(60)

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
            problems.append("A dead record waits for being erased: unlock the keyring.")
        }
        if let watchProblem { problems.append(watchProblem) }
        if case .unavailable(let reason) = session {
            problems.append("The session cannot be read: \(reason.sentence)")
        }
        if let certificate, certificate.notAfter <= now {
            problems.append("The device's certificate is over since \(certificate.notAfter): log in again.")
        }
        switch server {
        case .failure(let error):
            problems.append("The server cannot be worked with: \(error.message)")
        case .success(let server):
            if let ahead = server.clockAhead, abs(ahead / .seconds(1)) > Self.clockTolerance / .seconds(1) {
                problems.append(
                    "This device's clock is \(abs(Int(ahead / .seconds(1)))) s "
                        + (ahead > .zero ? "ahead of" : "behind") + " the server's."
                )
            }
            if let contract = server.contract, contract != Self.contract {
                problems.append(
                    "The server speaks contract \(contract), this client \(Self.contract): update the older."
                )
            }
        }
        self.problems = problems
    }
}

extension SessionState.Unavailability {
    fileprivate var sentence: String {
        switch self {
        case .notReadYet: "it has not been read yet."
        case .store(let error) where error.code == .newer: error.message + " " + LatchkeyError.newerAdvice
        case .store(let error): error.message
        }
    }
}
