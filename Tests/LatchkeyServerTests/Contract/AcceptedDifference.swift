/// An intended difference between responses of this server and recorded ones.
struct AcceptedDifference {
    /// The kind of a difference, without its values.
    enum Kind {
        case added
        case missing
        case value
        case name
    }

    let reason: String
    let kind: Kind

    /// The suffix of the path to the difference.
    let place: String

    /// The recordings in which it must occur, with the steps.
    let steps: [String: Set<Int>]

    private init(_ reason: String, _ kind: Kind, _ place: String, in steps: [String: Set<Int>]) {
        self.reason = reason
        self.kind = kind
        self.place = place
        self.steps = steps
    }

    /// Returns whether this covers a difference in a step of a recording.
    func covers(_ difference: Difference, _ recording: String, step: Int) -> Bool {
        guard steps[recording]?.contains(step) == true, difference.place.hasSuffix(place) else {
            return false
        }
        return switch (difference.kind, kind) {
        case (.added, .added), (.missing, .missing), (.value, .value), (.name, .name): true
        default: false
        }
    }

    static let all: [AcceptedDifference] = [
        AcceptedDifference(
            "Kratos echoes an empty transient_payload in some answers; this server omits it.",
            .missing,
            "/transient_payload",
            in: [
                "login-code": [1], "login-code-sent": [1], "login-code-wrong": [1],
                "recovery-code": [1, 2, 3],
                "registration-code": [1], "registration-two-step": [1], "verification-code": [2],
            ]
        ),
        AcceptedDifference(
            "Kratos leaves the token's node out when it has sent a code, and has it in the next answer of the step.",
            .added,
            "/ui/nodes[input default csrf_token hidden]",
            in: ["login-code": [1], "login-code-sent": [1], "login-code-wrong": [1]]
        ),
        AcceptedDifference(
            "Kratos has the label of the hidden identifier when it has sent a code, and not in the next answer.",
            .added,
            "/ui/nodes[input default identifier hidden]/meta/label",
            in: ["login-code-wrong": [2]]
        ),
        AcceptedDifference(
            "The same holds for the mark that it is required.",
            .added,
            "/ui/nodes[input default identifier hidden]/attributes/required",
            in: ["login-code-wrong": [2]]
        ),
        AcceptedDifference(
            "Kratos verifies one address after a registration, drawn by lot; ours verifies each, and says so.",
            .added,
            "/continue_with[show_verification_ui #2]",
            in: ["registration-password": [1], "registration-two-step": [2]]
        ),
        AcceptedDifference(
            "The lot fell on the mail; ours names the phone first.",
            .value,
            "/continue_with[show_verification_ui]/flow/verifiable_address",
            in: ["registration-password": [1], "registration-two-step": [2]]
        ),
        AcceptedDifference(
            "The address on which the lot did not fall waits for its code in Kratos, and has it sent by ours.",
            .value,
            "/status",
            in: [
                "login-password": [1], "login-wrong-password": [2], "registration-password": [1, 2],
                "registration-two-step": [2], "sessions-list": [1, 2], "settings": [1],
            ]
        ),
        AcceptedDifference(
            "No address of a user interface is configured here.",
            .missing,
            "/continue_with[show_settings_ui]/flow/url",
            in: ["recovery-code": [3]]
        ),
        AcceptedDifference(
            "After a change Kratos's form is to be sent to a flow of another id; ours to its own.",
            .name,
            "/ui/action",
            in: ["recovery-code": [6], "settings": [2, 4, 5, 7]]
        ),
        AcceptedDifference(
            "Kratos goes on showing what was wrong with an earlier submit; ours shows what is wrong with this one.",
            .missing,
            "/ui/nodes[input password password password]/messages[0]",
            in: ["settings": [7]]
        ),
        AcceptedDifference(
            "When no trait was sent, Kratos's form forgets the traits that there are; ours goes on showing them.",
            .added,
            "/attributes/value",
            in: ["settings": [7]]
        ),
        AcceptedDifference(
            "Kratos lists sessions of identities without addresses; ours are whole.",
            .added,
            "/identity/verifiable_addresses",
            in: ["sessions-list": [3]]
        ),
        AcceptedDifference(
            "The same holds for the addresses to recover by.",
            .added,
            "/identity/recovery_addresses",
            in: ["sessions-list": [3]]
        ),
    ]
}
