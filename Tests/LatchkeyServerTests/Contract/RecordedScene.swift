import LatchkeyModel
import LatchkeyServerCore
import LatchkeyWire
import Testing

/// What a recording presupposes and does not show.
struct RecordedScene: Sendable, CustomTestStringConvertible {
    /// Somebody who has an account.
    struct Person: Sendable {
        let email: String
        let phone: String
        var password = "correct-Horse-7-battery"

        /// The recorded token of the session that their registration opened.
        var token: String?

        var traits: JSONValue { .object(["email": .string(email), "phone": .string(phone)]) }
    }

    /// A flow that was begun before, by its recorded id, with what was submitted to it.
    struct BegunFlow: Sendable {
        let id: String
        let kind: FlowKind
        var submitted: [JSONValue] = []
    }

    let name: String
    var people: [Person] = []
    var flows: [BegunFlow] = []

    /// The recorded codes that were right, with the addresses that they were sent to; all others are wrong.
    var rightCodes: [String: String] = [:]

    /// How much time passes before a step.
    var waits: [Int: Duration] = [:]

    /// What the operator of the recorded server had decided otherwise.
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
