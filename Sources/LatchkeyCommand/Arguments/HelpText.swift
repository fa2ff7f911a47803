/// Generates help texts from the syntax of the subcommands.
///
/// Every text ends with a newline. Descriptions are wrapped at 96 columns, whereas usage lines, tables and
/// examples are not wrapped.
enum HelpText {
    /// Returns the help page of a subcommand.
    ///
    /// The page lists the flags in ``Syntax/options``. If the subcommand also accepts all server settings as
    /// flags, the page says so instead of listing them.
    static func page(of syntax: Syntax) -> String {
        var lines = ["latchkey \(syntax.name) – \(syntax.summary)", ""]
        let operands = syntax.operands.map { " \($0)" }.joined()
        lines.append("Usage: latchkey \(syntax.name)\(operands)\(syntax.options.isEmpty ? "" : " [flags]")")
        for detail in syntax.details { lines += [""] + wrapped(detail, indent: 0) }
        if !syntax.options.isEmpty {
            lines += ["", "Flags:"]
            for option in syntax.options {
                lines.append("  \(option.flag)\(option.placeholder.map { " \($0)" } ?? "")")
                lines += wrapped(option.summary, indent: 6)
            }
        }
        if syntax.takesSettings {
            lines += [""] + wrapped(settings, indent: 0)
        }
        if !syntax.examples.isEmpty {
            lines += ["", "Examples:"]
            for example in syntax.examples {
                lines += ["  # \(example.purpose)", "  latchkey \(example.line)"]
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A note that every server setting has a flag, even though the help page doesn't list these flags.
    private static let settings =
        "Every server setting can also be given as a flag. Run latchkey serve --help for a list of them."

    /// Returns an overview of all commands and exit codes.
    ///
    /// - Parameters:
    ///   - commands: The commands, in the order that the help text lists them.
    ///   - exitCodes: The exit codes, in the order that the help text lists them.
    /// - Returns: The text, with one line per command and one line per exit code.
    static func overview(of commands: [Syntax], exitCodes: [ExitCode]) -> String {
        var lines = [
            "latchkey – an identity server for customer accounts, and a client to try it out", "",
            "Usage: latchkey COMMAND [flags]", "", "Commands:",
        ]
        let width = (commands.map(\.name.count).max() ?? 0) + 2
        for command in commands {
            lines.append("  " + padded(command.name, to: width) + command.summary)
        }
        lines += ["", "Run latchkey COMMAND --help for more about a command.", "", "Exit codes:"]
        for code in exitCodes { lines.append("  " + padded(String(code.rawValue), to: 5) + code.meaning) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Pads a string with spaces to the given width.
    ///
    /// At least one space is added.
    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    /// Wraps text so that lines are at most 96 characters long, including the indentation.
    ///
    /// A word that is longer than 96 characters gets its own line.
    private static func wrapped(_ text: String, indent: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > 96 - indent {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return (lines + [line]).map { String(repeating: " ", count: indent) + $0 }
    }
}
