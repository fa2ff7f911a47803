import Dispatch
import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeySelfService

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A local list of breached passwords in the format of Have I Been Pwned.
///
/// The list is either a folder with one file per range (`21BD1.txt`, with lines `SUFFIX:COUNT`), or a single
/// file that contains all hashes in ascending order (with lines `HASH:COUNT`). The Have I Been Pwned
/// downloader can create both formats. The list is never loaded into memory as a whole.
struct BreachList: BreachedPasswords {
    /// The layout of the list: a folder with one file per range, or a single sorted file.
    private enum Form {
        case folder
        case file
    }

    /// Thrown when a list cannot be used.
    struct Unusable: Error {
        /// The reason, such as "/lists/all.txt does not exist".
        let reason: String
    }

    /// The serial queue on which files are read, because reading blocks the thread.
    private static let queue = DispatchQueue(label: "latchkey.breaches", qos: .utility)

    private let path: String
    private let form: Form

    /// Checks that the list exists.
    ///
    /// If the list is a single file, the format of its first line is checked as well, and that its last line
    /// belongs after it. A folder must contain at least one file for a range.
    init(path: String) throws(Unusable) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Unusable(reason: "\(path) does not exist") }
        self.path = path
        if status.st_mode & S_IFMT == S_IFDIR {
            form = .folder
            guard Self.containsRange(path) else {
                throw Unusable(reason: "\(path) contains no readable files such as 21BD1.txt")
            }
        } else {
            form = .file
            guard let file = try? LineFile(path), let first = try? Self.line(of: file, from: file.start),
                Self.count(first, after: 40) != nil, first.prefix(40).allSatisfy(Self.isDigit)
            else {
                throw Unusable(
                    reason: "\(path) cannot be read, or does not start with a line in the format HASH:COUNT"
                )
            }
            guard let start = try? file.lineStart(at: max(file.start, file.size - 2)),
                let last = try? Self.line(of: file, from: start),
                Self.count(last, after: 40) == nil || !last.lexicographicallyPrecedes(first)
            else { throw Unusable(reason: "\(path) is not sorted by hash") }
        }
    }

    /// Returns whether a folder contains at least one file for a range of hashes.
    ///
    /// A complete list has more than a million files, so we don't look at all of them.
    private static func containsRange(_ path: String) -> Bool {
        guard let folder = opendir(path) else { return false }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.utf8.count == 9, name.hasSuffix(".txt"), access("\(path)/\(name)", R_OK) == 0 {
                return true
            }
        }
        return false
    }

    /// Returns how often a password appeared in breaches, or 0 if the list doesn't contain it.
    ///
    /// Files are read on a serial queue, so at most one thread is blocked.
    ///
    /// - Throws: ``LineFile/Unreadable`` if a file is missing or cannot be read, or ``Unusable`` if a line
    ///   that is compared with the password has the wrong format.
    func occurrences(of password: Secret) async throws -> Int {
        let hash = SHA1.hash(Array(password.exposed.utf8))
        return try await withCheckedThrowingContinuation { continuation in
            Self.queue.async { [self] in
                continuation.resume(with: Result { try find(Self.hexadecimal(hash)) })
            }
        }
    }

    /// Returns the count for a hash.
    ///
    /// The hash consists of 40 uppercase hexadecimal digits.
    private func find(_ hash: [UInt8]) throws -> Int {
        switch form {
        case .folder:
            let name = String(decoding: hash.prefix(5), as: UTF8.self)
            return try Self.scan(LineFile("\(path)/\(name).txt"), for: Array(hash.dropFirst(5)))
        case .file: return try Self.search(LineFile(path), for: hash)
        }
    }

    /// Searches the file for one range of hashes, line by line.
    private static func scan(_ file: LineFile, for suffix: [UInt8]) throws -> Int {
        // A complete list has hashes in each range, so the download of an empty file has failed.
        guard file.size > file.start else { throw Unusable(reason: "is empty") }
        var offset = file.start
        while let line = try line(of: file, from: offset) {
            if line.starts(with: suffix) { return try validCount(line, after: suffix.count) }
            offset += line.count + 1
        }
        return 0
    }

    /// Performs a binary search in the sorted file.
    ///
    /// Returns 0 if the file doesn't contain the hash.
    private static func search(_ file: LineFile, for hash: [UInt8]) throws -> Int {
        var (low, high) = (file.start, file.size)
        while low < high {
            // Compare the line that contains the middle offset.
            let middle = low + (high - low) / 2
            let start = try file.lineStart(at: middle)
            let line = try line(of: file, from: start) ?? []
            let count = try validCount(line, after: hash.count)
            if line.starts(with: hash) { return count }
            if line.lexicographicallyPrecedes(hash) {
                low = start + line.count + 1
            } else {
                high = start
            }
        }
        return 0
    }

    private static func line(of file: LineFile, from offset: Int) throws -> [UInt8]? {
        try file.line(from: offset)
    }

    /// Returns the number after a hash and a colon.
    ///
    /// Throws ``Unusable`` if there is no number. A damaged line must not cause a breached password to be
    /// accepted.
    private static func validCount(_ line: [UInt8], after length: Int) throws(Unusable) -> Int {
        guard let count = count(line, after: length) else { throw Unusable(reason: "has a damaged line") }
        return count
    }

    /// Returns the number after a hash and a colon, or `nil` if there is no number.
    private static func count(_ line: [UInt8], after length: Int) -> Int? {
        guard line.count > length + 1, line[length] == UInt8(ascii: ":") else { return nil }
        let digits = line[(length + 1)...].prefix { (0x30...0x39).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self))
    }

    /// Returns whether a byte is an uppercase hexadecimal digit.
    private static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte)
    }

    /// Encodes bytes as uppercase hexadecimal digits, which is the format of the list.
    private static func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }
}
