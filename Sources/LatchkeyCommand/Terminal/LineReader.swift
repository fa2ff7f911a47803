import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A reader that reads a file line by line on separate threads and skips blank lines.
///
/// `@unchecked Sendable`: only one reading thread at a time uses the stream and the count, and `next` waits
/// for that thread.
final class LineReader: @unchecked Sendable {
    /// A line with its number, starting at 1.
    struct Line: Sendable {
        /// The number of the line in the file, counting blank lines that are skipped.
        let number: Int
        /// The text with its line ending, in which bytes that are not valid UTF-8 are replaced by U+FFFD.
        let text: String
    }

    /// The path of the file, which error messages contain.
    private let path: String
    /// The open file, which is closed with the reader.
    private let stream: UnsafeMutablePointer<FILE>
    /// The number of lines that have been read, including blank lines.
    private var count = 0

    /// Opens a file, or a duplicate of the standard input's descriptor if the path is `-`.
    ///
    /// - Throws: ``CommandFailure`` of the kind `storage` if the file cannot be opened.
    init(_ path: String) throws(CommandFailure) {
        guard let stream = path == "-" ? fdopen(dup(STDIN_FILENO), "r") : fopen(path, "r") else {
            throw CommandFailure(.storage, message: "cannot read \(path)")
        }
        self.path = path
        self.stream = stream
    }

    deinit {
        fclose(stream)
    }

    /// Returns up to `limit` lines, or an empty array at the end of the file.
    ///
    /// Calls must not overlap.
    ///
    /// - Throws: ``CommandFailure`` of the kind `storage` if the file cannot be read, or `failed` if no
    ///   thread can be started.
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

    /// Reads up to `limit` lines that are not blank, and blocks the thread.
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
            let text = String(decoding: bytes, as: UTF8.self)
            if !text.allSatisfy(\.isWhitespace) { lines.append(Line(number: count, text: text)) }
        }
        return lines
    }
}
