import LatchkeyModel
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Reads a file line by line, and skips blank lines and a byte-order mark at the start.
///
/// The file is read on threads that are used only for reading.
///
/// The class is `@unchecked Sendable` because `next` waits for the reading thread, so only one thread uses
/// the stream and the line count at a time.
final class LineReader: @unchecked Sendable {
    struct Line: Sendable {
        /// The line number in the file, starting at 1.
        ///
        /// Blank lines are counted even though they are skipped.
        let number: Int
        /// The text including its line ending, or the error if the line isn't UTF-8.
        let text: Result<String, InvalidUTF8>
    }

    /// The path of the file, for use in error messages.
    private let path: String
    /// The open file.
    ///
    /// The file is closed when the reader is deinitialized.
    private let stream: UnsafeMutablePointer<FILE>
    /// The number of lines read so far, including blank lines.
    private var count = 0

    /// Opens a file, or standard input if the path is `-`.
    ///
    /// - Throws: ``CommandFailure`` with the code `storage` if the file can't be opened.
    init(_ path: String) throws(CommandFailure) {
        let stream =
            path == "-" ? fdopen(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0), "r") : fopen(path, "re")
        guard let stream else {
            throw CommandFailure(.storage, message: "cannot read \(path)")
        }
        self.path = path
        self.stream = stream
    }

    deinit {
        fclose(stream)
    }

    /// Returns up to `limit` lines.
    ///
    /// At the end of the file, the array is empty.
    ///
    /// Don't call this method again before the previous call has returned.
    ///
    /// - Throws: ``CommandFailure`` with the code `storage` if the file can't be read, or `failed` if a
    ///   thread can't be started.
    func next(atMost limit: Int) async throws(CommandFailure) -> [Line] {
        let lines = Deferred<Result<[Line], CommandFailure>>()
        do {
            _ = try WorkThread { [self] in
                lines.set(Result { () throws(CommandFailure) in try read(atMost: limit) })
            }
        } catch {
            throw CommandFailure(.failed, message: "cannot start a thread to read the input")
        }
        return try await lines.value.get()
    }

    /// Reads up to `limit` lines that aren't blank.
    ///
    /// Blocks the current thread.
    private func read(atMost limit: Int) throws(CommandFailure) -> [Line] {
        var lines: [Line] = []
        var buffer: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(buffer) }
        while lines.count < limit {
            let length = getline(&buffer, &capacity, stream)
            let reason = errno
            guard length >= 0, let buffer else {
                guard feof(stream) != 0 else {
                    throw CommandFailure(
                        .storage,
                        message: "cannot read \(path): \(String(cString: strerror(reason)))"
                    )
                }
                break
            }
            count += 1
            let bytes = UnsafeRawBufferPointer(start: buffer, count: length)
            let text = Result { () throws(InvalidUTF8) in
                try String(utf8: count == 1 ? bytes.withoutByteOrderMark : bytes[...])
            }
            if case .success(let text) = text, text.allSatisfy(\.isWhitespace) { continue }
            lines.append(Line(number: count, text: text))
        }
        return lines
    }
}
