import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import Testing

/// The preconditions for replaying a recording.
struct RecordedSetup: Sendable, CustomTestStringConvertible {
    /// A user who has an account.
    struct Person: Sendable {
        let email: String
        let phone: String
        var password = "correct-Horse-7-battery"

        /// The recorded token of the session that was created by the registration.
        var token: String?

        var traits: JSONValue { .object(["email": .string(email), "phone": .string(phone)]) }
    }

    /// A flow that was started before the recording, with its recorded id and a submission.
    struct BegunFlow: Sendable {
        let id: String
        let kind: FlowKind
        var submitted: [JSONValue] = []
    }

    let name: String
    var people: [Person] = []
    var flows: [BegunFlow] = []

    /// The recorded codes that are correct, and the addresses they were sent to.
    ///
    /// All other codes in the recording are wrong.
    var rightCodes: [String: String] = [:]

    /// How much time passes before each step.
    var waits: [Int: Duration] = [:]

    /// The settings of the recorded server.
    var change: @Sendable (inout ServerConfiguration) -> Void = { _ in }

    var testDescription: String { name }

    /// The settings with which this server should give the same responses as the server that was recorded.
    var configuration: ServerConfiguration {
        var configuration = TestServer.configuration()
        configuration.schemas.standard = "person"
        configuration.basePath = "/"
        configuration.flows.defaultReturnURL = "https://app.example.com/"
        configuration.registration.sendsVerification = true
        configuration.changes.sendsVerification = true
        configuration.sessions.privilegedAge = .seconds(900)
        configuration.sessions.lifespan = .seconds(86_400)
        change(&configuration)
        return configuration
    }
}
