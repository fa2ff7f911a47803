import LatchkeyServer

#if canImport(FoundationEssentials)
import FoundationEssentials
import Glibc
#else
import Foundation
#endif

/// The entry point of `latchkey`.
///
/// Results are written to standard output. Errors, hints, prompts and progress are written to standard error.
@main
struct Command {
    /// All subcommands, in the order that the help text lists them.
    static let subcommands: [any Subcommand] = [
        ServeCommand(), DemoCommand(), SignupCommand(), LoginCommand(), RecoverCommand(), SettingsCommand(),
        WhoamiCommand(), LogoutCommand(), DoctorCommand(),
        IdentityCreateCommand(), IdentityFindCommand("get"), IdentityFindCommand("find"),
        IdentityListCommand(),
        IdentityUpdateCommand(), IdentityStateCommand.disable, IdentityStateCommand.enable,
        IdentityDeleteCommand(), IdentityImportCommand(), IdentityHistoryCommand(), IdentityRecoverCommand(),
        IdentityReleaseAddressCommand(),
        SessionsListCommand(), SessionCommand.get, SessionCommand.extend, SessionsRevokeCommand(),
        // The client's `sessions` command must come after the operator's commands, whose names start with the
        // same word.
        SessionsCommand(),
        ClientCreateCommand(), ClientGetCommand("get"), ClientGetCommand("show"), ClientListCommand(),
        ClientUpdateCommand(), ClientDeleteCommand(), ClientRotateSecretCommand(),
        ProductsCheckCommand(), ProductsListCommand(), TransactionsListCommand(), TransactionsRefundCommand(),
        TermsCheckCommand(), TermsPublishCommand(), TermsListCommand(), TermsShowCommand(),
        TermsStatusCommand(), TermsEvidenceCommand(), TermsVerifyCommand(),
        ConfigCheckCommand(), ConfigShowCommand(), ConfigReferenceCommand(), VersionCommand(),
    ]

    /// Runs the command line of this process and exits with the resulting exit code.
    ///
    /// The main thread handles signals. If `main` were asynchronous, the Swift runtime would handle signals
    /// and exit.
    static func main() {
        let interruption = Interruption()
        do {
            let console = Console(environment: try ProcessEnvironment.all(), interruption: interruption)
            let words = try ProcessArguments.all()
            Task.detached { exit(await run(words, on: console).rawValue) }
            interruption.receiveSignals()
        } catch {
            report(error, on: Console(environment: [:], interruption: interruption))
            exit(error.code.rawValue)
        }
    }

    /// Runs a command line, prints errors and returns the exit code.
    ///
    /// Each line of an error message starts with the name of the program. If there is a hint, it follows on
    /// an indented line.
    ///
    /// - Parameters:
    ///   - words: The command-line arguments without the program name.
    ///   - console: The console for results, errors and prompts.
    /// - Returns: ``ExitCode/ok`` if the command succeeds, and the failure's exit code otherwise.
    static func run(_ words: [String], on console: Console) async -> ExitCode {
        do {
            try await dispatch(words, on: console)
            return .ok
        } catch {
            report(error, on: console)
            return error.code
        }
    }

    private static func report(_ failure: CommandFailure, on console: Console) {
        for line in failure.message.split(separator: "\n") { console.report("latchkey: \(line)") }
        if let hint = failure.hint { console.report("  \(hint)") }
    }

    /// Finds and runs the subcommand for a command line.
    ///
    /// Also handles `--help` and `--version`.
    ///
    /// If `--help` or `-h` appears anywhere before `--`, all other arguments are ignored.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if the command is missing or unknown or has invalid
    ///   arguments, or any error thrown by the subcommand.
    private static func dispatch(_ words: [String], on console: Console) async throws(CommandFailure) {
        let commands = subcommands.map(\.syntax)
        guard !words.isEmpty else {
            console.report(
                lines: HelpText.overview(of: commands, exitCodes: ExitCode.allCases)
                    .split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
            )
            throw CommandFailure(.usage, message: "no command was given: latchkey COMMAND")
        }
        guard let first = words.first, first != "--help", first != "-h", first != "help" else {
            return console.write(page: HelpText.overview(of: commands, exitCodes: ExitCode.allCases))
        }
        if first == "--version" {
            return try await VersionCommand().run(Arguments([], for: VersionCommand().syntax), on: console)
        }
        let named = subcommands.first { command in
            words.starts(with: command.syntax.name.split(separator: " ").map(String.init))
        }
        guard let command = named else { throw unknown(words, among: commands) }
        let rest = Array(words.dropFirst(command.syntax.name.split(separator: " ").count))
        if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
            return console.write(page: HelpText.page(of: command.syntax))
        }
        do {
            try await command.run(Arguments(rest, for: command.syntax), on: console)
        } catch {
            guard error.code == .usage, error.hint == nil else { throw error }
            throw CommandFailure(
                error.code,
                message: error.message,
                hint: "run latchkey \(command.syntax.name) --help for its usage"
            )
        }
    }

    /// Returns the error for an unknown command.
    ///
    /// The error message lists the subcommands of a group or suggests a similar command.
    private static func unknown(_ words: [String], among commands: [Syntax]) -> CommandFailure {
        let group = commands.map(\.name).filter { $0.hasPrefix(words[0] + " ") }
        if !group.isEmpty {
            return CommandFailure(
                .usage,
                message: "missing subcommand: \(group.map { "latchkey \($0)" }.joined(separator: ", "))"
            )
        }
        let near = Suggestion.closest(to: words[0], among: commands.map(\.name))
        return CommandFailure(
            .usage,
            message: "unknown command '\(words[0])'",
            hint: near.map { "did you mean latchkey \($0)?" }
                ?? "run latchkey --help for the list of commands"
        )
    }
}
