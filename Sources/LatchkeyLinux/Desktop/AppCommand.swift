import Glibc
import LatchkeyCore
import LatchkeyTerminal

/// The command that opens a URL with an installed app.
struct AppCommand: Sendable {
    /// The path of the app's desktop file.
    let path: String
    let program: InstalledProgram
    /// The arguments after the program's name.
    let arguments: [String]
    /// The working folder, or `nil` to use this process's working folder.
    let folder: String?
    let needsTerminal: Bool

    private var withoutTerminal: LatchkeyError {
        failure("needs a terminal, so it can't be started")
    }

    /// Starts the app without a terminal.
    func start() throws(LatchkeyError) {
        guard !needsTerminal else { throw withoutTerminal }
        try check(program.start(arguments, in: folder))
    }

    /// Runs the app on a terminal, and waits until it has ended.
    func run(on terminal: SystemTerminal?) async throws(LatchkeyError) {
        guard let terminal else { throw withoutTerminal }
        let result: Int32
        do throws(TerminalInputError) {
            result = try await terminal.handOver { program.run(arguments, in: folder, input: $0, output: $1) }
        } catch .interrupted {
            throw LatchkeyError(.cancelled, message: "The task was cancelled before the app was started.")
        } catch {
            throw failure("can't be started, because this process ends")
        }
        guard result != EBUSY else {
            throw failure("can't be started, because this process isn't in the foreground")
        }
        try check(result)
    }

    private func check(_ result: Int32) throws(LatchkeyError) {
        guard result == 0 else {
            throw failure("can't be started: \(String(cString: strerror(result)))")
        }
    }

    private func failure(_ reason: String) -> LatchkeyError { Self.failure(path, reason) }

    static func failure(_ path: String, _ reason: String) -> LatchkeyError {
        LatchkeyError(.noPresenter, message: "The app in \(path) \(reason).")
    }
}
