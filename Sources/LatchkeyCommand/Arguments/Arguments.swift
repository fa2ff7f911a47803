import LatchkeyServer

/// The parsed arguments of a subcommand.
///
/// The names of flags and the number of operands have been checked against the syntax, but values are the
/// unmodified strings from the command line.
struct Arguments: Sendable {
    /// The operands in order, exactly as many as the syntax defines.
    private(set) var operands: [String] = []

    /// The values of flags, keyed by their names without dashes.
    private var values: [String: String] = [:]
    /// The names of the given flags that have no value.
    private var toggles: Set<String> = []

    /// Parses the words after the name of a subcommand.
    ///
    /// Flags and operands can be given in any order. The word `-` is an operand, because it stands for
    /// standard input. A value that begins with `--` is accepted only in the form `--name=value`.
    ///
    /// - Parameters:
    ///   - words: The words, which are all operands after `--`.
    ///   - syntax: The options and operands of the subcommand.
    /// - Throws: ``CommandFailure`` of the kind `usage` for unknown, repeated, missing or superfluous
    ///   arguments.
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

    /// The value of a flag; `nil` if the flag was not given or has no value.
    ///
    /// The value of `--name=` is the empty string.
    subscript(name: String) -> String? { values[name] }

    /// Returns whether a flag that has no value was given; `false` for a flag that has a value.
    func has(_ name: String) -> Bool { toggles.contains(name) }

    /// Returns the value of a required flag.
    ///
    /// - Throws: ``CommandFailure`` of the kind `usage` if the flag was not given.
    func required(_ name: String) throws(CommandFailure) -> String {
        guard let value = values[name] else {
            throw CommandFailure(.usage, message: "missing required flag --\(name)")
        }
        return value
    }

    /// Parses a flag in the form `--name value` or `--name=value`, and consumes the next word if it is the
    /// value.
    ///
    /// - Throws: ``CommandFailure`` of the kind `usage` if the flag is unknown, was given before, lacks its
    ///   value or does not accept one. For an unknown flag, the hint suggests the most similar known flag.
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
            throw CommandFailure(.usage, message: "flag \(flag) is given more than once")
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

    /// Checks the number of operands, and names the first one that is missing or superfluous in the error.
    private func checkOperands(for syntax: Syntax) throws(CommandFailure) {
        if operands.count < syntax.operands.count {
            throw CommandFailure(.usage, message: "missing argument \(syntax.operands[operands.count])")
        }
        if operands.count > syntax.operands.count {
            throw CommandFailure(.usage, message: "unexpected argument '\(operands[syntax.operands.count])'")
        }
    }
}
