import LatchkeyServer

/// The parsed arguments of a subcommand.
///
/// The names of the flags and the number of operands have already been checked against the syntax. Values are
/// the unmodified strings from the command line.
struct Arguments: Sendable {
    /// The operands, in order.
    ///
    /// The initializer makes sure that their number matches the syntax.
    private(set) var operands: [String] = []

    /// The values of the given flags, keyed by flag name without dashes.
    private var values: [String: String] = [:]
    /// The names of the given flags that don't take a value.
    private var toggles: Set<String> = []

    /// Parses the words that follow the name of a subcommand.
    ///
    /// Flags and operands can be mixed in any order. The word `-` is an operand because it stands for
    /// standard input. A value that starts with `--` must be given as `--name=value`.
    ///
    /// - Parameters:
    ///   - words: The words to parse. Everything after `--` is an operand.
    ///   - syntax: The flags and operands that the subcommand accepts.
    /// - Throws: ``CommandFailure`` with the code `usage` if an argument is unknown, repeated, missing or
    ///   unexpected.
    init(_ words: [String], for syntax: Syntax) throws(CommandFailure) {
        var rest = words[...]
        var onlyOperands = false
        while let word = rest.popFirst() {
            if onlyOperands || !word.hasPrefix("-") || word == "-" {
                operands.append(word)
            } else if word == "--" {
                onlyOperands = true
            } else {
                try parseFlag(word, valueFrom: &rest, for: syntax)
            }
        }
        try checkOperands(for: syntax)
    }

    /// The value of a flag, or `nil` if the flag wasn't given or doesn't take a value.
    ///
    /// The value of `--name=` is an empty string.
    subscript(name: String) -> String? { values[name] }

    /// Returns `true` if the given flag is present.
    ///
    /// Only use this method for flags that don't take a value.
    func has(_ name: String) -> Bool { toggles.contains(name) }

    /// Returns the value of a required flag.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if the flag wasn't given.
    func required(_ name: String) throws(CommandFailure) -> String {
        guard let value = values[name] else {
            throw CommandFailure(.usage, message: "missing required flag --\(name)")
        }
        return value
    }

    /// Parses a flag of the form `--name value` or `--name=value`.
    ///
    /// In the first form, the next word is consumed as the value.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if the flag is unknown or repeated, or if it is
    ///   missing its value or doesn't take one. If the flag is unknown, the hint suggests the most similar
    ///   known flag.
    private mutating func parseFlag(
        _ word: String,
        valueFrom rest: inout ArraySlice<String>,
        for syntax: Syntax
    ) throws(CommandFailure) {
        let halves = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let flag = String(halves[0])
        let attached = halves.count > 1 ? String(halves[1]) : nil
        guard let option = syntax.option(flag) else {
            let known = (syntax.options + syntax.settings).map(\.flag) + ["--help"]
            let hint = Suggestion.closest(to: flag, among: known)
            throw CommandFailure(
                .usage,
                message: "unknown flag \(flag) for latchkey \(syntax.name)",
                hint: hint.map { "did you mean \($0)?" }
            )
        }
        guard values[option.name] == nil, !toggles.contains(option.name) else {
            throw CommandFailure(.usage, message: "flag \(flag) was given more than once")
        }
        guard let placeholder = option.placeholder else {
            guard attached == nil else {
                throw CommandFailure(.usage, message: "flag \(flag) does not accept a value")
            }
            toggles.insert(option.name)
            return
        }
        if let attached {
            values[option.name] = attached
        } else if let next = rest.first, !next.hasPrefix("--") {
            values[option.name] = next
            rest = rest.dropFirst()
        } else {
            throw CommandFailure(.usage, message: "flag \(flag) requires a value: \(flag) \(placeholder)")
        }
    }

    /// Checks the number of operands.
    ///
    /// The error message includes the first operand that is missing or unexpected.
    private func checkOperands(for syntax: Syntax) throws(CommandFailure) {
        if operands.count < syntax.operands.count {
            throw CommandFailure(.usage, message: "missing argument \(syntax.operands[operands.count])")
        }
        if operands.count > syntax.operands.count {
            throw CommandFailure(.usage, message: "unexpected argument '\(operands[syntax.operands.count])'")
        }
    }
}
