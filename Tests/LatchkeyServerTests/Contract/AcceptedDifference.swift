/// An intended difference between this server's responses and the recorded ones.
struct AcceptedDifference {
    /// The kind of the difference, without the values that differ.
    enum Kind {
        case added
        case missing
        case value
        case name
    }

    let reason: String
    let kind: Kind

    /// The last part of the path to the value that differs.
    let place: String

    /// The recordings and their steps in which the difference must occur.
    let steps: [String: Set<Int>]

    private init(_ reason: String, _ kind: Kind, _ place: String, in steps: [String: Set<Int>]) {
        self.reason = reason
        self.kind = kind
        self.place = place
        self.steps = steps
    }

    /// Returns whether this entry permits the given difference in the given step of a recording.
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
            "Kratos echoes an empty transient_payload in some responses; this server omits it.",
            .missing,
            "/transient_payload",
            in: [
                "login-code": [1], "login-code-sent": [1], "login-code-wrong": [1],
                "recovery-code": [1, 2, 3],
                "registration-code": [1], "registration-two-step": [1], "verification-code": [2],
            ]
        ),
        AcceptedDifference(
            "Kratos omits the csrf_token node in the response that sends a code, and includes it in the next one.",
            .added,
            "/ui/nodes[input default csrf_token hidden]",
            in: ["login-code": [1], "login-code-sent": [1], "login-code-wrong": [1]]
        ),
        AcceptedDifference(
            "Kratos labels the hidden identifier in the response that sends a code, but not in the next one.",
            .added,
            "/ui/nodes[input default identifier hidden]/meta/label",
            in: ["login-code-wrong": [2]]
        ),
        AcceptedDifference(
            "Kratos marks the hidden identifier as required only in the response that sends a code.",
            .added,
            "/ui/nodes[input default identifier hidden]/attributes/required",
            in: ["login-code-wrong": [2]]
        ),
        AcceptedDifference(
            "Kratos continues with the verification of one random address; this server verifies every address.",
            .added,
            "/continue_with[show_verification_ui #2]",
            in: ["registration-password": [1], "registration-two-step": [2]]
        ),
        AcceptedDifference(
            "Kratos selected the e-mail address at random; this server lists the phone number first.",
            .value,
            "/continue_with[show_verification_ui]/flow/verifiable_address",
            in: ["registration-password": [1], "registration-two-step": [2]]
        ),
        AcceptedDifference(
            "Kratos has sent no code to the address that it did not select; this server sends one to each address.",
            .value,
            "/status",
            in: [
                "login-password": [1], "login-wrong-password": [2], "registration-password": [1, 2],
                "registration-two-step": [2], "sessions-list": [1, 2], "settings": [1],
            ]
        ),
        AcceptedDifference(
            "No URL of a user interface is configured on this server.",
            .missing,
            "/continue_with[show_settings_ui]/flow/url",
            in: ["recovery-code": [3]]
        ),
        AcceptedDifference(
            "After a change, Kratos's form submits to a flow with another ID; this server's to its own flow.",
            .name,
            "/ui/action",
            in: ["recovery-code": [6], "settings": [2, 4, 5, 7]]
        ),
        AcceptedDifference(
            "Kratos still shows the errors of an earlier submission; this server shows only those of the latest.",
            .missing,
            "/ui/nodes[input password password password]/messages[0]",
            in: ["settings": [7]]
        ),
        AcceptedDifference(
            "If no traits are submitted, Kratos's form omits the existing ones; this server still shows them.",
            .added,
            "/attributes/value",
            in: ["settings": [7]]
        ),
        AcceptedDifference(
            "Kratos omits the verifiable addresses of identities in lists of sessions; this server includes them.",
            .added,
            "/identity/verifiable_addresses",
            in: ["sessions-list": [3]]
        ),
        AcceptedDifference(
            "Kratos omits the recovery addresses of identities in lists of sessions; this server includes them.",
            .added,
            "/identity/recovery_addresses",
            in: ["sessions-list": [3]]
        ),
    ]
}
