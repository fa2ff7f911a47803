import LatchkeyModel
import LatchkeyServerCore
import LatchkeyWire
import Testing

/// The preconditions of a recording.
struct RecordedSetup: Sendable, CustomTestStringConvertible {
    /// A user with an account.
    struct Person: Sendable {
        let email: String
        let phone: String
        var password = "correct-Horse-7-battery"

        /// The recorded token of the session that the registration opened.
        var token: String?

        var traits: JSONValue { .object(["email": .string(email), "phone": .string(phone)]) }
    }

    /// A flow that was begun before the recording, with its recorded id and a submission to it.
    struct BegunFlow: Sendable {
        let id: String
        let kind: FlowKind
        var submitted: [JSONValue] = []
    }

    let name: String
    var people: [Person] = []
    var flows: [BegunFlow] = []

    /// The recorded right codes, with the addresses to which they were sent; all others are wrong.
    var rightCodes: [String: String] = [:]

    /// The time that passes before a step.
    var waits: [Int: Duration] = [:]

    /// The settings of the recorded server.
    var change: @Sendable (inout ServerSettings) -> Void = { _ in }

    var testDescription: String { name }

    /// The settings of a server like the recorded one.
    var settings: ServerSettings {
        var settings = ServerSettings()
        settings.defaultSchema = "person"
        settings.basePath = "/"
        settings.defaultReturnURL = "https://app.example.com/"
        settings.verificationAfterRegistration = true
        settings.verificationAfterSettings = true
        settings.privilegedSessionAge = .seconds(900)
        settings.sessionLifespan = .seconds(86_400)
        change(&settings)
        return settings
    }
}
