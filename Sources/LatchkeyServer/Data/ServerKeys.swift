import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerCore

/// What a server must keep to be the same server after a restart: its secrets and its certificate authority.
struct ServerKeys: Sendable {
    let secrets: ServerSecrets
    let authority: CertificateAuthority

    /// Reads the keys of a folder; a folder that never had any gets fresh ones.
    ///
    /// Blocks for as long as another process does the same.
    ///
    /// - Parameters:
    ///   - folder: The data folder.
    ///   - time: The clock, for the validity of a new authority.
    ///   - random: The source of new secrets.
    ///   - othersExist: Whether other nodes use the same database, whose keys these must be.
    /// - Throws: ``DataFolderError`` when a file is missing, damaged or cannot be made.
    init(
        in folder: DataFolder,
        time: any TimeSource,
        random: any RandomSource,
        othersExist: Bool = false
    ) throws {
        self = try folder.exclusively {
            ServerKeys(
                secrets: try Self.secrets(in: folder, random: random, othersExist),
                authority: try Self.authority(in: folder, time: time, othersExist)
            )
        }
    }

    private init(secrets: ServerSecrets, authority: CertificateAuthority) {
        self.secrets = secrets
        self.authority = authority
    }

    /// One secret a line, in Base64URL; the first signs, all verify.
    private static func secrets(
        in folder: DataFolder,
        random: any RandomSource,
        _ othersExist: Bool
    ) throws -> ServerSecrets {
        let file = folder.file("secrets")
        if !file.exists {
            try refuseIfUsed(folder, missing: file, othersExist)
            try file.replace(with: Array((Base64URL.encode(random.bytes(32)) + "\n").utf8))
        }
        let lines = String(decoding: try file.contents(), as: UTF8.self).split(whereSeparator: \.isNewline)
        let secrets = lines.map { Base64URL.decode($0) ?? [] }
        guard let signing = secrets.first, secrets.allSatisfy({ $0.count >= 16 }) else {
            throw DataFolderError(
                "\(file.path) does not hold secrets: Base64URL of at least 16 bytes on each line"
            )
        }
        return ServerSecrets(signing: signing, older: Array(secrets.dropFirst()))
    }

    /// The key's file is made last: where it is missing, its certificate never signed anything.
    private static func authority(
        in folder: DataFolder,
        time: any TimeSource,
        _ othersExist: Bool
    ) throws -> CertificateAuthority {
        let key = folder.file("ca.key")
        let certificate = folder.file("ca.pem")
        if !key.exists {
            try refuseIfUsed(folder, missing: key, othersExist)
            let made = try CertificateAuthority.make(
                commonName: "Latchkey devices",
                notBefore: time.now - .seconds(300),
                notAfter: time.now + .seconds(20 * 366 * 86_400)
            )
            try certificate.replace(with: Array(made.certificate.pem.utf8))
            try key.replace(with: Array(made.keyPEM().exposed.utf8))
        }
        do {
            return try CertificateAuthority(
                keyPEM: Secret(String(decoding: key.contents(), as: UTF8.self)),
                certificatePEM: String(decoding: certificate.contents(), as: UTF8.self)
            )
        } catch let error as CryptoError {
            throw DataFolderError("\(key.path) and \(certificate.path) cannot be used: \(error)")
        }
    }

    /// Fresh keys beside an old database would quietly break what the lost ones have signed.
    private static func refuseIfUsed(
        _ folder: DataFolder,
        missing file: PrivateFile,
        _ othersExist: Bool
    ) throws(DataFolderError) {
        if othersExist {
            throw DataFolderError("\(file.path) is missing, and \(IdentityServerError.sharedKeys)")
        }
        guard folder.database.exists else { return }
        throw DataFolderError(
            "\(file.path) is missing beside \(folder.database.path); restore it from a backup"
        )
    }
}
