import LatchkeyServerKit
import LatchkeyWire

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Reports the resource usage of the process.
///
/// Values that the operating system doesn't provide are omitted.
struct ProcessMetrics: MetricsSource {
    /// Writes the version, CPU time in seconds, memory usage in bytes, number of open file descriptors and
    /// start time.
    ///
    /// All values except the version and the CPU time are read from `/proc`. These values are omitted on
    /// systems without `/proc`.
    func write(to text: inout MetricsText) {
        text.begin(.build)
        text.sample(.build, labels: [Release.version], value: 1)
        // POSIX requires CLOCKS_PER_SEC to be one million, so the time is in microseconds.
        let used = clock()
        if used >= 0 { text.write(.cpu, value: Double(used) / 1e6) }
        if let pages = Self.words(of: "/proc/self/statm").dropFirst().first.flatMap({ Double($0) }) {
            text.write(.memory, value: pages * Double(sysconf(Int32(_SC_PAGESIZE))))
        }
        if let count = Self.openFiles { text.write(.openFiles, value: Double(count)) }
        if let start = Self.start { text.write(.start, value: start) }
    }

    /// The number of open file descriptors.
    ///
    /// The entries `.` and `..` and the descriptor that is used to read the folder are not counted.
    private static var openFiles: Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count - 3
    }

    /// The start time of the process, in seconds since 1970.
    private static var start: Double? {
        // The second field is the name of the program in parentheses. The name may contain spaces.
        let words = text(of: "/proc/self/stat").split(separator: ")").last?.split(separator: " ") ?? []
        let all = Self.words(of: "/proc/stat")
        guard
            words.count > 19, let ticks = Double(words[19]),
            let boot = all.firstIndex(of: "btime"), boot + 1 < all.count, let seconds = Double(all[boot + 1])
        else { return nil }
        return seconds + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Returns the words in a file, or an empty array if the file cannot be read.
    ///
    /// Words are separated by spaces and line breaks.
    private static func words(of path: String) -> [Substring] {
        text(of: path).split { $0 == " " || $0 == "\n" }
    }

    /// Returns the contents of a file in `/proc`, or an empty string if the file cannot be read.
    ///
    /// The sizes of these files are not known in advance.
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
