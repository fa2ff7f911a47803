import Foundation
import LatchkeyLinux
import LatchkeyModel
import LatchkeyTerminal
import TestProcesses
import Testing

@Suite(.timeLimit(.minutes(10))) struct `System terminal input` {
    private let user: PseudoTerminal
    private let device: FileHandle
    private let terminal: SystemTerminal

    init() throws {
        user = try PseudoTerminal()
        device = try #require(FileHandle(forUpdatingAtPath: user.path))
        terminal = try #require(
            SystemTerminal(input: device.fileDescriptor, output: device.fileDescriptor)
        )
    }

    private func read(_ prompt: String, isHidden: Bool = false) async -> Result<String, TerminalInputError> {
        do throws(TerminalInputError) {
            return .success(try await terminal.readLine(prompt, isHidden: isHidden))
        } catch {
            return .failure(error)
        }
    }

    @Test func `A line is shown while the user types it and can be edited`() async {
        async let line = read("Name: ")
        _ = await user.shows("Name: ")
        #expect(user.isEchoing)

        user.press("Anm\u{7F}n\n")

        #expect(await line == .success("Ann"))
        #expect(await user.shows("Anm\u{8} \u{8}n\r\n").isEmpty == false)
    }

    @Test func `Hidden input is not shown, and the echo is restored afterwards`() async {
        async let line = read("Password: ", isHidden: true)
        _ = await user.shows("Password: ")
        #expect(!user.isEchoing)

        user.type("a secret")

        #expect(await line == .success("a secret"))
        #expect(user.isEchoing)
        _ = await user.shows("\r\n")
        #expect(!user.transcript.contains("secret"))
    }

    @Test func `Hidden input includes what was typed before the prompt`() async {
        user.press("typed ahead")
        // Once the terminal shows the input, it has received all of it.
        _ = await user.shows("typed ahead")
        async let line = read("Password: ", isHidden: true)
        _ = await user.shows("Password: ")

        user.type(" and a secret")

        #expect(await line == .success("typed ahead and a secret"))
        #expect(!user.transcript.contains("secret"))
    }

    @Test func `Input that is typed before or between hidden lines is neither shown nor lost`() async throws {
        let lines = try await terminal.hidingInput { () async throws(TerminalInputError) in
            user.type("first secret")
            let first = try await terminal.readLine("Password: ", isHidden: true)
            #expect(!user.isEchoing)
            user.type("second secret")
            return [first, try await terminal.readLine("Again: ", isHidden: true)]
        }

        #expect(lines == ["first secret", "second secret"])
        #expect(user.isEchoing)
        _ = await user.shows("Again: ")
        #expect(!user.transcript.contains("secret"))
    }

    @Test func `Two terminals with one input neither show a hidden line nor leave the echo off`() async throws
    {
        let other = try #require(
            SystemTerminal(input: device.fileDescriptor, output: device.fileDescriptor)
        )
        try await terminal.hidingInput { () async throws(TerminalInputError) in
            user.type("a secret")
            #expect(try await other.readLine("Password: ", isHidden: true) == "a secret")
            #expect(!user.isEchoing)
        }

        #expect(user.isEchoing)
        #expect(!user.transcript.contains("secret"))
    }

    @Test func `Input stays hidden until all terminals with one input have shown their lines`() async throws {
        let other = try #require(
            SystemTerminal(input: device.fileDescriptor, output: device.fileDescriptor)
        )
        let (isFirstOver, isSecondOver, isSecondHiding) = (Locked(false), Locked(false), Locked(false))
        let hiding = Task { [terminal] in
            await terminal.hidingInput {
                let later = Task {
                    await other.hidingInput {
                        isSecondHiding.withLock { $0 = true }
                        while !isSecondOver.withLock(\.self) { await Task.yield() }
                    }
                }
                while !isFirstOver.withLock(\.self) { await Task.yield() }
                return later
            }
        }
        while !isSecondHiding.withLock(\.self) { await Task.yield() }

        isFirstOver.withLock { $0 = true }
        let later = await hiding.value
        #expect(!user.isEchoing)
        isSecondOver.withLock { $0 = true }
        await later.value

        #expect(user.isEchoing)
    }

    @Test func `A cancelled prompt doesn't wait for another terminal's prompt`() async throws {
        let other = try #require(
            SystemTerminal(input: device.fileDescriptor, output: device.fileDescriptor)
        )
        async let line = read("First: ")
        _ = await user.shows("First: ")
        let waiting = Task { try await other.readLine("Second: ", isHidden: true) }

        waiting.cancel()

        await #expect(throws: TerminalInputError.interrupted) { try await waiting.value }
        user.type("answer")
        #expect(await line == .success("answer"))
        #expect(!user.transcript.contains("Second: "))
        #expect(user.isEchoing)
    }

    @Test func `A prompt is shown again when its process continues, and the input is hidden again`() async {
        async let line = read("Password: ", isHidden: true)
        _ = await user.shows("Password: ")
        terminal.restore()
        #expect(user.isEchoing)

        terminal.resume()

        _ = await user.shows("Password: ")
        #expect(!user.isEchoing)
        user.type("a secret")
        #expect(await line == .success("a secret"))
        #expect(user.isEchoing)
        terminal.resume()
        #expect(user.isEchoing)
    }

    @Test(arguments: [("\u{3}", TerminalInputError.interrupted), ("\u{4}", .ended)])
    func `Control-C interrupts a prompt and Control-D ends it without a signal`(
        key: String,
        error: TerminalInputError
    ) async {
        for isHidden in [false, true] {
            async let line = read("Code: ", isHidden: isHidden)
            _ = await user.shows("Code: ")

            user.press(key)

            #expect(await line == .failure(error))
            #expect(user.isEchoing)
        }
    }

    @Test func `Control-C also discards what was typed before it`() async {
        async let line = read("Code: ")
        _ = await user.shows("Code: ")

        user.press("2715\u{3}")

        #expect(await line == .failure(.interrupted))
        async let next = read("Again: ")
        _ = await user.shows("Again: ")
        user.type("x")
        #expect(await next == .success("x"))
    }

    @Test func `A cancelled task stops reading, and the next prompt gets the input`() async {
        let reading = Task { await read("First: ", isHidden: true) }
        _ = await user.shows("First: ")

        reading.cancel()

        #expect(await reading.value == .failure(.interrupted))
        #expect(user.isEchoing)
        async let line = read("Second: ")
        _ = await user.shows("Second: ")
        user.type("answer")
        #expect(await line == .success("answer"))
    }

    @Test func `Terminal settings can be restored while a prompt is open`() async {
        async let line = read("Password: ", isHidden: true)
        _ = await user.shows("Password: ")

        terminal.restore()

        #expect(user.isEchoing)
        user.type("")
        #expect(await line == .success(""))
    }

    @Test func `A progress message is replaced by the next line`() async {
        terminal.showProgress("Sending…")
        terminal.write("Done.")

        #expect(await user.shows("Done.\r\n") == "\r\u{1B}[KSending…\r\u{1B}[KDone.\r\n")
    }

    @Test func `A file is not a terminal`() throws {
        let file = try #require(FileHandle(forUpdatingAtPath: "/dev/null"))

        #expect(SystemTerminal(input: file.fileDescriptor, output: file.fileDescriptor) == nil)
    }
}
