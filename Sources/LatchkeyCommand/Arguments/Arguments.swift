import LatchkeyServer

/// The arguments of a subcommand, sorted out.
struct Arguments: Sendable {
    /// The operands, in their order.
    private(set) var operands: [String] = []

    private var values: [String: String] = [:]
    private var toggles: Set<String> = []

    /// Sorts out the words after a subcommand's name.
    ///
    /// - Parameters:
    ///   - words: The words.
    ///   - syntax: What the subcommand takes.
    /// - Throws: ``CommandFailure`` of the kind `usage` for whatever it does not take.
    init(_ words: [String], for syntax: Syntax) throws(CommandFailure) {
        var rest = words[...]
        var onlyOperands = false
        while let word = rest.popFirst() {
            if onlyOperands || !word.hasPrefix("-") || word == "-" {
                operands.append(word)
            } else if word == "--" {
                onlyOperands = true
            } else {
                try take(word, from: &rest, syntax)
            }
        }
        try checkOperands(syntax)
    }

    /// The value of a flag; nothing when it was not given.
    subscript(name: String) -> String? { values[name] }

    /// Whether a flag without a value was given.
    func has(_ name: String) -> Bool { toggles.contains(name) }

    /// The value of a flag that must be given.
    ///
    /// - Throws: ``CommandFailure`` of the kind `usage`.
    func required(_ name: String) throws(CommandFailure) -> String {
        guard let value = values[name] else {
            throw CommandFailure(.usage, "--\(name) is missing")
        }
        return value
    }

    private mutating func take(
        _ word: String,
        from rest: inout ArraySlice<String>,
        _ syntax: Syntax
    ) throws(CommandFailure) {
        let halves = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let flag = String(halves[0])
        let attached = halves.count > 1 ? String(halves[1]) : nil
        guard let option = syntax.option(flag) else {
            let known = (syntax.options + syntax.settings).map(\.flag) + ["--help"]
            let hint = Suggestion.closest(to: flag, among: known)
            throw CommandFailure(
                .usage,
                "latchkey \(syntax.name) has no flag \(flag)",
                hint: hint.map { "did you mean \($0)?" }
            )
        }
        guard values[option.name] == nil, !toggles.contains(option.name) else {
            throw CommandFailure(.usage, "\(flag) is given twice")
        }
        guard let placeholder = option.placeholder else {
            guard attached == nil else { throw CommandFailure(.usage, "\(flag) takes no value") }
            toggles.insert(option.name)
            return
        }
        if let attached {
            values[option.name] = attached
        } else if let next = rest.first, !next.hasPrefix("--") {
            values[option.name] = next
            rest = rest.dropFirst()
        } else {
            throw CommandFailure(.usage, "\(flag) needs a value: \(flag) \(placeholder)")
        }
    }

    private func checkOperands(_ syntax: Syntax) throws(CommandFailure) {
        if operands.count < syntax.operands.count {
            throw CommandFailure(.usage, "\(syntax.operands[operands.count]) is missing")
        }
        if operands.count > syntax.operands.count {
            throw CommandFailure(.usage, "\"\(operands[syntax.operands.count])\" is one word too many")
        }
    }
}
