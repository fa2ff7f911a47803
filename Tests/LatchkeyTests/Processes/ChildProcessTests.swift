import Foundation
import TestProcesses
import Testing

@Suite struct `Child processes of an app` {
    @Test func `A child process inherits only the standard streams, and the app's signal handling`()
        async throws
    {
        try await SharedServer.with { (shared) async throws in
            // The app keeps connections open, watches its folder, and has refreshed its tokens under a lock.
            let output = try await shared.probe.run(
                "send",
                "renew",
                "child:ls -l /proc/self/fd; grep SigIgn /proc/self/status"
            ).output

            let lines = output.split(separator: "\n")
            #expect(lines.first?.hasPrefix("200") == true && lines.last == "child ended", "\(output)")
            let descriptors = lines.compactMap { line -> String? in
                let parts = line.components(separatedBy: " -> ")
                // `ls` itself has opened the folder that it lists.
                guard parts.count == 2, !parts[1].hasPrefix("/proc/") else { return nil }
                return parts[0].split(separator: " ").last.map(String.init)
            }
            #expect(descriptors == ["0", "1", "2"], "\(output)")
            // The C library reserves the signals from 32 on.
            let ignored = lines.first { $0.hasPrefix("SigIgn:") }.flatMap { UInt64($0.suffix(16), radix: 16) }
            #expect(ignored.map { $0 & 0x7FFF_FFFF } == 0, "\(output)")
        }
    }
}
