import LatchkeyServerCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file that is read line by line, on separate threads; blank lines are skipped.
///
/// `@unchecked Sendable`: the stream and the count are used by one reading thread at a time, which `next`
/// awaits.
final class LineFile: @unchecked Sendable {
    /// A line with its number, starting at 1.
    struct Line: Sendable {
        let number: Int
        let text: String
    }

    private let stream: UnsafeMutablePointer<FILE>
    private var count = 0

    /// Opens a file; `-` is the standard input.
    ///
    /// - Throws: ``CommandFailure`` of the kind `storage` if it cannot be opened.
    init(_ path: String) throws(CommandFailure) {
        guard let stream = path == "-" ? fdopen(dup(STDIN_FILENO), "r") : fopen(path, "r") else {
            throw CommandFailure(.storage, "cannot read \(path)")
        }
        self.stream = stream
    }

    deinit {
        fclose(stream)
    }

    /// Returns up to `most` lines; empty at the end of the file.
    func next(_ most: Int) async throws(CommandFailure) -> [Line] {
        let lines = Deferred<[Line]>()
        do {
            _ = try WorkThread { [self] in lines.set(read(most)) }
        } catch {
            throw CommandFailure(.failed, "cannot start a thread to read the input")
        }
        return await lines.value
    }

    /// Reads up to `most` lines that are not blank; blocks.
    private func read(_ most: Int) -> [Line] {
        var lines: [Line] = []
        var buffer: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(buffer) }
        while lines.count < most {
            let length = getline(&buffer, &capacity, stream)
            guard length >= 0, let buffer else { break }
            count += 1
            let bytes = UnsafeRawBufferPointer(start: buffer, count: length)
            let text = String(decoding: bytes, as: UTF8.self)
            if !text.allSatisfy(\.isWhitespace) { lines.append(Line(number: count, text: text)) }
        }
        return lines
    }
}
