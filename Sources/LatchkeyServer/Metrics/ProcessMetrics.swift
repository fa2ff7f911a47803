import LatchkeyServerKit
import LatchkeyWire

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The resource usage of the process, without values that the operating system does not report.
struct ProcessMetrics: MetricsSource {
    /// Writes the version, the CPU time in seconds, the memory in bytes, the open descriptors and the start
    /// time.
    ///
    /// All values except the version and the CPU time are read from `/proc`, and omitted on systems without
    /// it.
    func write(to text: inout MetricsText) {
        text.begin(.build)
        text.sample(.build, labels: [Release.version], value: 1)
        // The unit is the microsecond, because POSIX requires CLOCKS_PER_SEC to be one million.
        let used = clock()
        if used >= 0 { text.write(.cpu, value: Double(used) / 1e6) }
        if let pages = Self.words(of: "/proc/self/statm").dropFirst().first.flatMap({ Double($0) }) {
            text.write(.memory, value: pages * Double(sysconf(Int32(_SC_PAGESIZE))))
        }
        if let count = Self.openFiles { text.write(.openFiles, value: Double(count)) }
        if let start = Self.start { text.write(.start, value: start) }
    }

    /// The number of open descriptors, without the entries `.` and `..` and the descriptor used to list them.
    private static var openFiles: Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count - 3
    }

    /// The start time of the process, in seconds since 1970.
    private static var start: Double? {
        // The second field is the program's name in parentheses and may contain spaces.
        let words = text(of: "/proc/self/stat").split(separator: ")").last?.split(separator: " ") ?? []
        let all = Self.words(of: "/proc/stat")
        guard
            words.count > 19, let ticks = Double(words[19]),
            let boot = all.firstIndex(of: "btime"), boot + 1 < all.count, let seconds = Double(all[boot + 1])
        else { return nil }
        return seconds + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Returns the words of a file that are separated by spaces and line ends; empty if the file cannot be
    /// read.
    private static func words(of path: String) -> [Substring] {
        text(of: path).split { $0 == " " || $0 == "\n" }
    }

    /// Returns the contents of a file in `/proc`, whose size is not known in advance; empty if the file
    /// cannot be read.
    private static func text(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while case let count = read(descriptor, &part, part.count), count > 0 { bytes += part[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
