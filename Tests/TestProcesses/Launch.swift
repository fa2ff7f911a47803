import Foundation
import TestProcessesShim

/// A program with its arguments and settings, which can be started with system calls.
struct Launch: Sendable {
    private let words: [String]
    private let environment: [String]
    private let folder: String?
    private let input: [UInt8]
    private let terminal: String?

    init(
        _ command: [String],
        environment: [String: String]?,
        folder: String?,
        input: String,
        terminal: String? = nil
    ) {
        // `setpriv` asks the kernel to kill the program when the thread that started it ends.
        words = ["setpriv", "--pdeathsig", "KILL", "--"] + command
        let ours = ProcessInfo.processInfo.environment
        // Our own programs are built with the same sanitizer as the tests, so their reports must be written
        // to the same place.
        let sanitizers = ours.filter { $0.key.hasSuffix("SAN_OPTIONS") }
        let variables = environment?.merging(sanitizers) { given, _ in given } ?? ours
        self.environment = variables.map { "\($0.key)=\($0.value)" }
        self.folder = folder
        self.terminal = terminal
        self.input = Array(input.utf8)
        precondition(self.input.count <= 60 * 1024, "the input exceeds the capacity of a pipe")
    }

    /// Starts the program.
    func run() throws -> Running {
        let (feed, output, errors) = (try Conduit(), try Conduit(), try Conduit())
        feed.fill(input)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, feed.end, 0)
        posix_spawn_file_actions_adddup2(&actions, output.start, 1)
        posix_spawn_file_actions_adddup2(&actions, errors.start, 2)
        if let terminal {
            posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR | O_NOCTTY, 0)
            posix_spawn_file_actions_adddup2(&actions, 0, 2)
        }
        if let folder { test_spawn_in(&actions, folder) }
        test_spawn_closing_from(&actions, 3)

        // The program starts with the default signal handling, regardless of which signals the test runner
        // ignores or blocks.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        // As in a shell, a program on a terminal has a process group of its own. Otherwise, SIGTSTP might not
        // stop it.
        if terminal != nil { flags |= POSIX_SPAWN_SETPGROUP }
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var identifier: pid_t = 0
        let result = Self.withStrings(words) { words in
            Self.withStrings(environment) { environment in
                posix_spawnp(&identifier, self.words[0], &actions, &attributes, words, environment)
            }
        }
        feed.closeBoth()
        close(output.start)
        close(errors.start)
        guard result == 0 else {
            close(output.end)
            close(errors.end)
            throw ChildProcess.Failure(errno: result)
        }
        return Running(identifier: identifier, output: output.end, errors: errors.end)
    }

    private static func withStrings<Result>(
        _ strings: [String],
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else {
                preconditionFailure("a non-empty array must have a base address")
            }
            return body(base)
        }
    }
}

/// A pipe that other child processes do not inherit.
private struct Conduit {
    let end: Int32
    let start: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard test_pipe(&ends) == 0 else { throw ChildProcess.Failure(errno: errno) }
        (end, start) = (ends[0], ends[1])
    }

    /// Writes bytes to the pipe.
    ///
    /// The bytes must fit into the pipe's buffer.
    func fill(_ bytes: [UInt8]) {
        _ = write(start, bytes, bytes.count)
    }

    func closeBoth() {
        close(end)
        close(start)
    }
}
