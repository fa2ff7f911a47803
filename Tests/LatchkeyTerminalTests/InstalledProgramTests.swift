import Glibc
import Testing

@testable import LatchkeyLinux

@Suite(.timeLimit(.minutes(5))) struct `Programs that outlive the app` {
    @Test func `A program has its own session, no terminal, no open files, and leaves no zombie`()
        async throws
    {
        // A descriptor of the app that isn't closed by starting a program.
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let leak = fcntl(listener, F_DUPFD, 400)
        #expect(leak >= 400)
        defer {
            close(listener)
            close(leak)
        }
        let program = try RecordedProgram()
        let shell = try #require(
            InstalledProgram("sh", environment: ["PATH": "/usr/bin:/bin", "LATCHKEY_VARIABLE": "a = b"])
        )
        #expect(shell.start([program.path, "", "a\nb", "-c"], in: "/usr") == 0)

        let start = try await program.start()
        #expect(start.arguments == ["a", "b", "-c"])
        #expect(start.values["folder"] == "/usr" && start.values["variable"] == "a = b")
        for stream in ["input", "output", "errors"] { #expect(start.values[stream] == "/dev/null") }
        let descriptors = (start.values["descriptors"] ?? "").split(separator: " ").compactMap { Int($0) }
        #expect(descriptors.contains(0) && descriptors.allSatisfy { $0 < 100 })
        let identifier = try #require(start.values["identifier"].flatMap { pid_t($0) })
        #expect(start.values["session"] == "\(identifier)")
        #expect(await eventually { kill(identifier, 0) != 0 && errno == ESRCH })
    }

    @Test func `The system's error is returned if a program can't be started`() throws {
        let shell = try #require(InstalledProgram("sh", environment: ["PATH": "/usr/bin:/bin"]))
        #expect(shell.start([], in: "/missing") == ENOENT)
        #expect(shell.start(["a\0b"]) == EINVAL)
    }

    @Test func `Programs in relative folders are not started`() {
        let path = ["PATH": "/usr/bin:/bin"]
        // The root has no parent, so this leads to the root from every folder.
        let relative = String(repeating: "../", count: 64) + "usr/bin"
        #expect(access(relative + "/sh", X_OK) == 0)
        #expect(
            InstalledProgram("sh", environment: ["PATH": "\(relative):.::/usr/bin"])?.path == "/usr/bin/sh"
        )
        #expect(InstalledProgram("sh", environment: ["PATH": relative]) == nil)
        #expect(InstalledProgram(relative + "/sh", environment: path) == nil)
        #expect(InstalledProgram("", environment: path) == nil)
        #expect(InstalledProgram("/usr", environment: path) == nil)
    }
}
