import LatchkeyCore
import LatchkeyWire

/// A command that the user can type at a prompt instead of a value, such as `/back`.
enum FormCommand: Hashable, Sendable {
    case back
    case cancel
    /// Selects another way to log in.
    case use(LoginMethod)
    /// Presses a button that does not submit the inputs.
    case press(FlowNode)

    /// Returns a form's commands along with the words that select them, in display order.
    ///
    /// If several buttons have the same word, a number is appended.
    ///
    /// - Parameters:
    ///   - form: The form. Each of its actions becomes a command.
    ///   - ways: The other ways to log in.
    /// - Returns: The words that the user can type, and the command for each word.
    static func commands(
        of form: FlowForm,
        ways: [LoginMethod] = []
    ) -> [(word: String, command: FormCommand)] {
        var commands: [(word: String, command: FormCommand)] = []
        for button in form.actions {
            let word = word(for: button)
            let count = commands.count { $0.word == word || $0.word.hasPrefix(word + "-") }
            commands.append((count == 0 ? word : "\(word)-\(count + 1)", .press(button)))
        }
        return commands + ways.map { (word(for: $0), .use($0)) } + [("/back", .back), ("/cancel", .cancel)]
    }

    /// Returns the word for a button, which is `/resend` if it sends a code again, and the button's name
    /// otherwise.
    ///
    /// In recovery and verification flows, the button that sends a code again is named `email`, as in Kratos.
    private static func word(for button: FlowNode) -> String {
        guard let input = button.input else { return "/action" }
        if input.name == "resend" || input.name == "email" { return "/resend" }
        let name = input.name == "screen" ? input.value?.text ?? input.name : input.name
        let letters = name.lowercased().filter { ("a"..."z").contains($0) }
        return letters.isEmpty || letters == "back" || letters == "cancel" ? "/action" : "/" + letters
    }

    /// Returns the command that selects a way to log in.
    private static func word(for way: LoginMethod) -> String {
        switch way {
        case .signUp: "/signup"
        case .recovery: "/recover"
        default: "/" + way.rawValue
        }
    }
}
