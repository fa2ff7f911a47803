import Foundation
import LatchkeyModel

extension Bench {
    /// Measures how long the server takes to become ready, and how much memory it uses while idle.
    func start() throws {
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "latchkey")
        guard FileManager.default.isExecutableFile(atPath: program.path()) else {
            return Report.line("\nstart: build the product latchkey first")
        }
        let data = URL.temporaryDirectory.appending(path: "latchkey-start-\(UUID())")
        defer { try? FileManager.default.removeItem(at: data) }
        // The first start creates keys and tables, so we only measure later ones.
        _ = try begin(program, data: data)
        let starts = try (0..<9).map { _ in try begin(program, data: data) }
        Report.line("\n| start, of \(starts.count) | ready after ms | idle memory KiB |\n|---|---|---|")
        let (times, memory) = (starts.map(\.milliseconds).median, starts.map(\.kilobytes).median)
        Report.line(String(format: "| median | %.1f | %.0f |", times, memory))
    }

    private func begin(_ program: URL, data: URL) throws -> (milliseconds: Double, kilobytes: Double) {
        let port = Int.random(in: 20_000..<30_000)
        let process = Process()
        process.executableURL = program
        process.arguments = [
            "serve", "--data", data.path(), "--port", String(port), "--admin-port", String(port + 1),
        ]
        if let database = Self.database { process.arguments? += ["--database", database] }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let clock = ContinuousClock()
        let begin = clock.now
        try process.run()
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        while process.isRunning, begin.duration(to: clock.now) < .seconds(10) {
            let answer = try? BlockingConnection(port: port + 1).exchange("GET", target: "/health/ready")
            if answer?.status == 200 {
                let time = begin.duration(to: clock.now).wholeMicroseconds
                return (Double(time) / 1000, Double(residentKilobytes(of: process.processIdentifier)))
            }
            usleep(500)
        }
        throw BlockingConnection.Failure(what: "the server did not become ready")
    }

    private func residentKilobytes(of process: Int32) -> Int64 {
        let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int64($0.filter(\.isNumber)) } ?? 0
    }
}
