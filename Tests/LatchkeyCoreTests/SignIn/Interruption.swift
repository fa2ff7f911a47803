import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire

/// A point where a login can be interrupted.
enum Interruption: CaseIterable, Sendable {
    case flow, password, keyMade, certificate, pause, written
}

/// How a test logs in.
///
/// Logins and sign-ups can be interrupted at the same points, except that a sign-up already has its flow.
enum WayIn: CaseIterable, Sendable {
    case login, signUp

    static let interruptions = WayIn.allCases.flatMap { way in
        Interruption.allCases.filter { way == .login || $0 != .flow }.map { (way, $0) }
    }

    func run(on device: TestEngine, onlyAs schema: String? = nil) async -> Result<UserSession, any Error> {
        await outcome {
            switch self {
            case .login: return try await device.logIn(onlyAs: schema)
            case .signUp: return try await device.finishSignUp(onlyAs: schema)
            }
        }
    }

    /// Returns the reason why an interrupted login failed.
    ///
    /// - Parameters:
    ///   - error: The error that the login threw.
    ///   - place: The point at which the login was interrupted. Once the password has been submitted, a
    ///     sign-up must throw an error that reports that the account exists.
    /// - Returns: The reason for the interruption, or `nil` if a sign-up should have reported that the
    ///   account exists but threw a different error.
    func reason(for error: LatchkeyError?, at place: Interruption) -> LatchkeyError? {
        guard self == .signUp, place != .keyMade else { return error }
        return error?.code == .accountCreated ? error?.cause as? LatchkeyError : nil
    }
}

extension TestEngine {
    static let certificates = "PUT /identity/pki/client/certificates"

    /// Calls a closure when a login reaches the given point.
    ///
    /// If `place` is `pause`, the closure isn't called, and the test has to interrupt the login itself.
    func arrange(_ place: Interruption, _ interrupt: @escaping @Sendable () -> Void) {
        switch place {
        case .flow:
            server.during("GET /a/self-service/login/api", interrupt)
        case .password:
            server.during("POST /a/self-service/login", interrupt)
            server.during("POST /a/self-service/registration", interrupt)
        case .keyMade: keys.whenMade(interrupt)
        case .certificate: server.during(Self.certificates, interrupt)
        case .pause: server.plan(Self.certificates, .fail(.unreachable))
        case .written: store.during(.write, interrupt)
        }
    }
}
