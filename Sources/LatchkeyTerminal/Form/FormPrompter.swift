import LatchkeyCore
import LatchkeyModel
import LatchkeyWire

/// Asks the user for the values of a form, one prompt at a time.
struct FormPrompter: Sendable {
    /// How the user responded to a form.
    enum Reply: Hashable, Sendable {
        /// The user filled in the form.
        case answers(FlowSubmission)
        /// The user selected another way to log in.
        case use(LoginMethod)
        /// The user went back from the first prompt.
        case back
        /// The user cancelled the form.
        case cancelled
    }

    /// A question that is asked while the user fills in a form.
    private enum Question {
        case field(FlowNode)
        case method
    }

    /// How the user responded to a prompt.
    private enum Reaction {
        case value(JSONValue?)
        case command(FormCommand)
    }

    let terminal: any Terminal
    let texts: UITexts

    /// Writes the messages of a flow and the texts in its form.
    func writeMessages(of flow: Flow) {
        for message in flow.messages {
            terminal.write((message.severity == .error ? "! " : "") + message.text.displayable)
        }
        for node in flow.nodes {
            if case .text(_, let message) = node.attributes { terminal.write(message.text.displayable) }
        }
    }

    /// Asks the user for the values of a form.
    ///
    /// - Parameters:
    ///   - flow: The flow, which must have at least one method or action.
    ///   - known: Values that the user has entered before, which the prompts suggest.
    ///   - preferred: The method to offer first, if the form has it.
    ///   - ways: Other ways to log in, which the prompts offer as commands.
    /// - Returns: The user's input, or how the user wants to leave the form.
    func ask(
        for flow: Flow,
        known: [String: JSONValue],
        preferring preferred: String? = nil,
        ways: [LoginMethod] = []
    ) async -> Reply {
        let form = FlowForm(flow)
        let commands = FormCommand.commands(of: form, ways: ways)
        let methods = form.methods.sorted { $0.name == preferred && $1.name != preferred }
        var values: [String: JSONValue] = [:]
        var chosen = methods.count == 1 && form.hasFields ? methods[0] : nil
        let hasChoice = chosen == nil
        write(commands, of: flow)
        var index = 0
        while true {
            let questions =
                form.shared.map { Question.field($0) } + (hasChoice ? [.method] : [])
                + (chosen?.fields ?? []).map { .field($0) }
            guard index < questions.count else { break }
            let reaction: Reaction
            do throws(TerminalInputError) {
                switch questions[index] {
                case .field(let node):
                    reaction = try await value(of: node, known: known, commands: commands)
                    if case .value(let value) = reaction { values[node.name ?? ""] = value }
                case .method:
                    (reaction, chosen) = try await method(
                        among: methods,
                        of: flow,
                        actions: form.actions,
                        commands: commands
                    )
                }
            } catch {
                guard error == .ended else { return .cancelled }
                reaction = .command(.back)
            }
            switch reaction {
            case .value: index += 1
            case .command(.cancel): return .cancelled
            case .command(.use(let way)): return .use(way)
            case .command(.press(let button)): return .answers(FlowSubmission(pressing: button, values))
            case .command(.back):
                guard index > 0 else { return .back }
                index -= 1
            }
        }
        guard let button = chosen?.button else { return .back }
        return .answers(FlowSubmission(pressing: button, values))
    }

    /// Writes the commands that are available at the prompts.
    private func write(_ commands: [(word: String, command: FormCommand)], of flow: Flow) {
        let parts = commands.map { word, command in
            switch command {
            case .back: "\(word): \(texts.back)"
            case .cancel: "\(word): \(texts.cancel)"
            case .use(let way): "\(word): \(texts.label(of: way))"
            case .press(let button): "\(word): \(label(of: button, in: flow))"
            }
        }
        terminal.write("(" + parts.joined(separator: ", ") + ")")
    }

    /// Returns the label to show for a node.
    private func label(of node: FlowNode, in flow: Flow) -> String {
        if flow.kind == .settings, node.name == "method", let label = texts.settings[node.group] {
            return label
        }
        let text = (node.label?.text ?? "").displayable
        return text.isEmpty ? (node.name ?? "").displayable : text
    }

    // MARK: Methods

    /// Asks the user to select a method or an action by its number.
    ///
    /// An empty line selects the first choice.
    private func method(
        among methods: [FlowForm.Method],
        of flow: Flow,
        actions: [FlowNode],
        commands: [(word: String, command: FormCommand)]
    ) async throws(TerminalInputError) -> (Reaction, FlowForm.Method?) {
        let labels = methods.map { label(of: $0.button, in: flow) } + actions.map { label(of: $0, in: flow) }
        guard !labels.isEmpty else { return (.command(.back), nil) }
        for (number, label) in zip(1..., labels) { terminal.write("  \(number)  \(label)") }
        while true {
            let line = try await terminal.readLine("\(texts.choose(labels.count)) [1]: ", isHidden: false)
                .trimmingSpaces
            if let command = commands.first(where: { $0.word == line })?.command {
                return (.command(command), nil)
            }
            guard let number = line.isEmpty ? 1 : Int(TypedText.withASCIIDigits(line)),
                labels.indices.contains(number - 1)
            else {
                terminal.write(texts.invalidChoice(labels.count))
                continue
            }
            guard methods.indices.contains(number - 1) else {
                return (.command(.press(actions[number - 1 - methods.count])), nil)
            }
            return (.value(nil), methods[number - 1])
        }
    }

    // MARK: Fields

    /// Writes the messages about an input and then asks for its value.
    private func value(
        of node: FlowNode,
        known: [String: JSONValue],
        commands: [(word: String, command: FormCommand)]
    ) async throws(TerminalInputError) -> Reaction {
        guard let input = node.input else { return .value(nil) }
        for message in node.messages { terminal.write("! " + message.text.displayable) }
        if input.kind == .password { return .value(.string(try await password(node))) }
        if !input.options.isEmpty { return try await option(of: node, known: known, commands: commands) }
        let current = known[input.name] ?? input.value
        let shown = current.flatMap { $0.display(yes: texts.yes, no: texts.no) }
        let prompt = prompt(for: node, current: shown, isRemovable: !input.isRequired && current != nil)
        while true {
            var line = try await terminal.readLine(prompt, isHidden: false).trimmingSpaces
            if let command = commands.first(where: { $0.word == line })?.command { return .command(command) }
            if line.hasPrefix("//") { line.removeFirst() }
            switch (line, input.kind) {
            case ("", _):
                if let current { return .value(current) }
                guard input.isRequired else { return .value(.null) }
                terminal.write(texts.required)
            case ("-", _) where !input.isRequired: return .value(.null)
            case (_, .checkbox):
                guard let isOn = isYes(line) else {
                    terminal.write("\(texts.yes)/\(texts.no)?")
                    continue
                }
                return .value(.bool(isOn))
            default: return .value(.string(line))
            }
        }
    }

    /// Asks for a password.
    ///
    /// A new password must be entered twice.
    ///
    /// The user can't enter commands here, because any text could be a password.
    private func password(_ node: FlowNode) async throws(TerminalInputError) -> String {
        terminal.write(texts.backFromHidden)
        let prompt = prompt(for: node, current: nil, isRemovable: false)
        return try await terminal.hidingInput { () async throws(TerminalInputError) in
            while true {
                let password = try await terminal.readLine(prompt, isHidden: true)
                guard !password.isEmpty else {
                    terminal.write(texts.required)
                    continue
                }
                guard node.input?.autocomplete == "new-password" else { return password }
                if try await terminal.readLine(texts.repeatPassword + ": ", isHidden: true) == password {
                    return password
                }
                terminal.write(texts.passwordsDiffer)
            }
        }
    }

    /// Asks the user to select one of an input's possible values by its number.
    private func option(
        of node: FlowNode,
        known: [String: JSONValue],
        commands: [(word: String, command: FormCommand)]
    ) async throws(TerminalInputError) -> Reaction {
        let options = node.input?.options ?? []
        let current = known[node.name ?? ""] ?? node.input?.value
        let place = options.firstIndex { $0.value == current }
        for (number, option) in zip(1..., options) {
            terminal.write("  \(number)  \(option.label.displayable)")
        }
        let prompt = prompt(for: node, current: place.map { String($0 + 1) }, isRemovable: false)
        while true {
            let line = try await terminal.readLine(prompt, isHidden: false).trimmingSpaces
            if let command = commands.first(where: { $0.word == line })?.command { return .command(command) }
            if line.isEmpty {
                if let place { return .value(options[place].value) }
                if node.input?.isRequired == false { return .value(.null) }
            }
            if let number = Int(TypedText.withASCIIDigits(line)), options.indices.contains(number - 1) {
                return .value(options[number - 1].value)
            }
            terminal.write(texts.invalidChoice(options.count))
        }
    }

    /// Returns the prompt for an input, such as `E-mail (optional) [user@example.org]: `.
    private func prompt(for node: FlowNode, current: String?, isRemovable: Bool) -> String {
        var text = (node.label?.text ?? node.name ?? "").displayable
        let isCheckbox = node.input?.kind == .checkbox
        if isCheckbox { text += " (\(texts.yes)/\(texts.no))" }
        if isRemovable, !isCheckbox {
            text += " (\(texts.optional), \(texts.removable))"
        } else if node.input?.isRequired == false, !isCheckbox {
            text += " (\(texts.optional))"
        }
        if let current { text += " [\(current.displayable)]" }
        return text + ": "
    }

    private func isYes(_ line: String) -> Bool? {
        switch line.lowercased().first.map({ String($0) }) {
        case texts.yes: true
        case texts.no: false
        default: nil
        }
    }
}

extension JSONValue {
    /// The value as a single line of text, or `nil` for an empty string, `null`, objects and arrays.
    fileprivate func display(yes: String, no: String) -> String? {
        switch self {
        case .string(let text): text.isEmpty ? nil : text
        case .integer(let number): String(number)
        case .double(let number): String(number)
        case .number(let number): number.description
        case .bool(let isOn): isOn ? yes : no
        case .null, .array, .object: nil
        }
    }
}

extension String {
    /// The text with spaces and tabs trimmed from both ends.
    fileprivate var trimmingSpaces: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let last = lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(self[...last].drop(while: isSpace))
    }
}
