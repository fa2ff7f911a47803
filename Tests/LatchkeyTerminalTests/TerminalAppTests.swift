import Foundation
import Glibc
import LatchkeyCore
import LatchkeyModel
import LatchkeyTerminal
import TestProcesses
import Testing

@testable import LatchkeyLinux

/// A user on the controlling terminal of a process that an exit test starts.
///
/// The user is part of that process, because exit tests block the threads on which a test could act as the user.
private struct TerminalSession: Sendable {
    let home = DesktopHome()
    let user: PseudoTerminal
    let descriptor: Int32
    let terminal: SystemTerminal

    init() throws {
        try #require(setsid() > 0)
        user = try PseudoTerminal()
        descriptor = Glibc.open(user.path, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0 && tcgetpgrp(descriptor) == getpgrp())
        terminal = try #require(SystemTerminal(input: descriptor, output: descriptor))
    }

    var handlers: DesktopSchemeHandlers {
        DesktopSchemeHandlers(environment: home.environment, terminal: terminal)
    }

    /// Starts a process that waits in a process group of its own.
    func otherGroup() throws -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var identifier: pid_t = 0
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("600"), nil]
        defer { for word in words { free(word) } }
        try #require(posix_spawn(&identifier, "/bin/sleep", nil, &attributes, &words, nil) == 0)
        return identifier
    }
}

extension DesktopHome {
    /// Installs an app that is a shell script.
    fileprivate func install(_ script: String) throws {
        let path = try root.write(script, as: "store app")
        try install(command: "sh \"\(path)\" %u")
    }

    fileprivate func install(command: String) throws {
        try write(
            """
            [Desktop Entry]
            Exec=\(command)
            Terminal=true
            MimeType=x-scheme-handler/com.example.store;

            """,
            as: "data/applications/store.desktop"
        )
    }
}

private let url = "com.example.store://authorize?request=a'$(reboot)&x=%20"

@Suite(.timeLimit(.minutes(5))) struct `Apps that run on the terminal` {
    private let home = DesktopHome()
    private let user: PseudoTerminal
    private let device: FileHandle
    private let terminal: SystemTerminal

    init() throws {
        user = try PseudoTerminal()
        device = try #require(FileHandle(forUpdatingAtPath: user.path))
        terminal = try #require(SystemTerminal(input: device.fileDescriptor, output: device.fileDescriptor))
    }

    private var handlers: DesktopSchemeHandlers {
        DesktopSchemeHandlers(environment: home.environment, terminal: terminal)
    }

    // MARK: The foreground

    @Test func `An app reads in the foreground of the terminal, which is then taken back`() async {
        await #expect(processExitsWith: .success) {
            let session = try TerminalSession()
            let (user, terminal) = (session.user, session.terminal)
            try session.home.install(
                """
                set -- "$#" "$1" $(cut -d ' ' -f 5,8 /proc/$$/stat) $(ls /proc/$$/fd)
                [ "$3" = "$$" ] && [ "$4" = "$$" ] && echo "in the foreground"
                [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo "on a terminal"
                printf '%s: <%s>\\n' "$1" "$2"
                shift 4
                echo "open: $*"
                printf 'Approve? '
                read -r answer
                echo "Approved: $answer"

                """
            )
            // A descriptor that isn't closed by starting a program.
            #expect(fcntl(session.descriptor, F_DUPFD, 400) >= 400)
            terminal.showProgress("Opening the store…")
            async let opening: Void = session.handlers.open(url)
            let before = await user.shows("Approve? ")
            // The prompt doesn't take the app's input.
            async let name = terminal.readLine("Name: ", isHidden: false)
            user.type("yes")
            try await opening
            #expect(tcgetpgrp(session.descriptor) == getpgrp())

            #expect(before.hasPrefix("\r\u{1B}[KOpening the store…\r\u{1B}[K"))
            for text in ["in the foreground", "on a terminal", "1: <\(url)>"] {
                #expect(before.contains(text + "\r\n"))
            }
            let line = before.split(separator: "\r\n").first { $0.hasPrefix("open: ") }
            let descriptors = try #require(line).dropFirst(6).split(separator: " ").compactMap { Int($0) }
            #expect(descriptors.contains(0) && descriptors.allSatisfy { $0 < 100 })

            #expect(await user.shows("Name: ") == "yes\r\nApproved: yes\r\nName: ")
            user.type("Ann")
            #expect(try await name == "Ann")
        }
    }

    @Test(arguments: [
        // Control-C and Control-\ end only the app. A stopped app is continued, and reads the line.
        ("\u{3}", false), ("\u{1C}", false), ("\u{1A}", true),
    ])
    func `Keys that send signals have no effect on the process`(_ key: String, _ isContinued: Bool) async {
        await #expect(processExitsWith: .success) {
            [key = key as String, isContinued = isContinued as Bool] in
            let session = try TerminalSession()
            let (user, terminal) = (session.user, session.terminal)
            try session.home.install("echo ready\nread -r answer\necho \"read $answer\"\n")
            async let opening: Void = session.handlers.open(url)
            _ = await user.shows("ready\r\n")
            user.press(key)
            if isContinued { user.type("yes") }
            try await opening
            #expect(tcgetpgrp(session.descriptor) == getpgrp())

            async let name = terminal.readLine("Name: ", isHidden: false)
            #expect(await user.shows("Name: ").contains("read yes\r\n") == isContinued)
            user.type("Ann")
            #expect(try await name == "Ann")
        }
    }

    @Test func `An app that the system can't load leaves the terminal in the foreground`() async {
        await #expect(processExitsWith: .success) {
            let session = try TerminalSession()
            let path = try session.home.root.write("not a program", as: "program", mode: 0o755)
            try session.home.install(command: "\(path) %u")
            await #expect(
                performing: { try await session.handlers.open(url) },
                throws: DesktopHome.code(.noPresenter)
            )
            #expect(tcgetpgrp(session.descriptor) == getpgrp())
        }
    }

    @Test func `The terminal is taken back by a thread that doesn't block signals`() async {
        await #expect(processExitsWith: .success) {
            let session = try TerminalSession()
            let program = try #require(InstalledProgram("true", environment: [:]))
            let result = try await session.terminal.handOver { input, output in
                var (signals, previous) = (sigset_t(), sigset_t())
                sigemptyset(&signals)
                sigaddset(&signals, SIGTTOU)
                pthread_sigmask(SIG_UNBLOCK, &signals, &previous)
                defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
                return program.run([], in: nil, input: input, output: output)
            }
            #expect(result == 0)
            #expect(tcgetpgrp(session.descriptor) == getpgrp())
        }
    }

    @Test func `A process in the background doesn't hand over the terminal`() async {
        await #expect(processExitsWith: .success) {
            let session = try TerminalSession()
            try session.home.install("touch \"$0.started\"\n")
            let other = try session.otherGroup()
            defer { kill(other, SIGKILL) }
            try #require(tcsetpgrp(session.descriptor, other) == 0)
            await #expect(
                performing: { try await session.handlers.open(url) },
                throws: DesktopHome.code(.noPresenter)
            )
            #expect(tcgetpgrp(session.descriptor) == other)
            #expect(session.home.text("store app.started") == nil)
        }
    }

    // MARK: Settings, prompts and output

    @Test func `Settings that an app changes are restored, whatever its exit status`() async throws {
        try home.install("stty raw -echo\nprintf 'exit code: 126\\n'\nexit 126\n")
        try await handlers.open(url)
        _ = await user.shows("exit code: 126\n")
        #expect(user.isEchoing)
        terminal.write("Back")
        _ = await user.shows("Back\r\n")
    }

    @Test func `The app's input is shown even if the process hides its own`() async throws {
        try home.install("echo ready\nread -r answer\n")
        try await terminal.hidingInput {
            #expect(!user.isEchoing)
            async let opening: Void = handlers.open(url)
            _ = await user.shows("ready\r\n")
            #expect(user.isEchoing)
            await terminal.hidingInput { #expect(user.isEchoing) }
            terminal.restore()
            terminal.resume()
            #expect(user.isEchoing)
            user.type("yes")
            try await opening
            #expect(!user.isEchoing)
        }
        #expect(user.isEchoing)
    }

    @Test func `Prompts and output wait until the app has ended`() async throws {
        let other = try #require(SystemTerminal(input: device.fileDescriptor, output: device.fileDescriptor))
        try home.install("echo ready\nread -r answer\necho done\n")
        async let opening: Void = handlers.open(url)
        _ = await user.shows("ready\r\n")
        async let name = other.readLine("Name: ", isHidden: true)
        terminal.showProgress("Step 1")
        terminal.showProgress("Step 2")
        other.write("A line")
        terminal.showProgress("Step 3")
        user.type("yes")
        try await opening
        let output = await user.shows("Name: ")
        user.type("a secret")
        #expect(try await name == "a secret")
        let clear = "\r\u{1B}[K"
        #expect(output == "yes\r\ndone\r\n\(clear)Step 2A line\r\n\(clear)Step 3Name: ")
        #expect(!user.transcript.contains("secret"))
    }

    // MARK: Cancellation

    @Test func `A running app isn't cancelled, and the prompt after it waits`() async throws {
        try home.install("echo ready\nread -r answer\necho \"read $answer\"\n")
        let opening = Task { [handlers] in try await handlers.open(url) }
        _ = await user.shows("ready\r\n")
        opening.cancel()
        async let name = terminal.readLine("Name: ", isHidden: false)
        user.type("yes")
        #expect(await user.shows("Name: ") == "yes\r\nread yes\r\nName: ")
        try await opening.value
        user.type("Ann")
        #expect(try await name == "Ann")
    }

    @Test func `An app that waits for a prompt can be cancelled`() async throws {
        try home.install("echo started\n")
        async let name = terminal.readLine("Name: ", isHidden: false)
        _ = await user.shows("Name: ")
        let opening = Task { [handlers] in try await handlers.open(url) }
        opening.cancel()
        await #expect(performing: { try await opening.value }, throws: DesktopHome.code(.cancelled))
        user.type("Ann")
        #expect(try await name == "Ann")
        #expect(try await terminal.handOver { _, _ in true })
        #expect(!user.transcript.contains("started"))
    }

    // MARK: Failures

    @Test(arguments: ["missing-program %u", "/missing/program %u", "/etc/passwd %u"])
    func `An app whose program isn't installed is an error`(_ command: String) async throws {
        try home.install(command: command)
        await #expect(
            performing: { try await handlers.open(url) },
            throws: DesktopHome.code(.noPresenter)
        )
    }

    @Test func `An app that needs a terminal isn't started without one`() async throws {
        try home.install("touch \"$0.started\"\n")
        await #expect(
            performing: { try await home.handlers.open(url) },
            throws: DesktopHome.code(.noPresenter)
        )
        #expect(home.text("store app.started") == nil)
    }

    @Test func `An app is not started once the process ends`() async throws {
        try home.install("echo started\n")
        terminal.restoreAtEnd()
        await #expect(
            performing: { try await handlers.open(url) },
            throws: DesktopHome.code(.noPresenter)
        )
        #expect(!user.transcript.contains("started"))
    }
}
