extension FormText {
    /// The form texts in Swedish.
    ///
    /// Texts without a translation are shown in English.
    static let swedish: [FormText: String] = [
        .signIn: "Logga in",
        .signInWithPassword: "Logga in med lösenord",
        .sendSignInCode: "Skicka en inloggningskod",
        .sendSignUpCode: "Skicka en verifieringskod",
        .signUp: "Skapa konto",
        .back: "Tillbaka",
        .save: "Spara",
        .proceed: "Fortsätt",
        .resend: "Skicka en ny kod",
        .code: "Kod",
        .password: "Lösenord",
        .email: "E-post",
        .phone: "Telefonnummer",
        .emailOrPhone: "E-post eller telefonnummer",
        .loginCodeSent:
            "Om det finns ett konto med de här uppgifterna har vi skickat en kod till dig. Ange koden här.",
        .codeSent: "Vi har skickat en kod till dig. Ange koden här.",
        .recoveryCodeSent:
            "Om det finns ett konto med den här adressen har vi skickat en kod till dig. Ange koden här.",
        .emailCodeSent:
            "Om adressen hör till ett konto har vi skickat ett mejl med en kod till dig. Ange koden här.",
        .phoneCodeSent:
            "Om numret hör till ett konto har vi skickat ett sms med en kod till dig. Ange koden här.",
        .chooseCredential: "Välj hur du vill logga in.",
        .reauthenticate: "Logga in igen för att bekräfta att det är du.",
        .secondFactor: "Slutför inloggningen med tvåstegsverifiering.",
        .phoneVerified: "Ditt telefonnummer är bekräftat.",
        .emailVerified: "Din e-postadress är bekräftad.",
        .recovered: "Ditt konto är återställt. Välj ett nytt lösenord nu.",
        .settingsSaved: "Dina ändringar är sparade.",
        .invalidCredentials:
            "Inloggningsuppgifterna stämmer inte. Kontrollera att du har skrivit rätt, även lösenordet.",
        .duplicate: "Det finns redan ett konto med den här e-postadressen eller det här telefonnumret.",
        .duplicateWithHints:
            "Det finns redan ett konto med {credential_identifier_hint}. Logga in i stället.",
        .identityDisabled: "Det här kontot är avstängt.",
        .appRequired: "Det här kontot kan bara användas i appen. Logga in där.",
        .chooseSignIn: "Välj hur du vill logga in och fyll i fälten.",
        .chooseSignUp: "Välj hur du vill skapa kontot och fyll i fälten.",
        .chooseChange: "Välj vad du vill ändra och fyll i fälten.",
        .chooseRecovery: "Välj hur du vill återställa kontot och fyll i fälten.",
        .chooseVerification:
            "Välj hur du vill bekräfta din e-postadress eller ditt telefonnummer och fyll i fälten.",
        .flowExpired: "Formuläret gäller inte längre eller har redan använts. Börja om här.",
        .usedAlready: "Formuläret har redan använts. Börja om här.",
        .doneOrTriedTooOften:
            "Bekräftelsen är redan klar, eller så har det gjorts för många försök. Börja om.",
        .noCodeLogin:
            "Vi hittar inget konto med de här uppgifterna, eller så går det inte att logga in på det med kod.",
        .noCodeAddress: "Ange en e-postadress eller ett telefonnummer som vi kan skicka en kod till.",
        .codeUsed: "Den här koden har redan använts. Be om en ny.",
        .codeExhausted: "Fel kod har angetts för många gånger. Börja om.",
        .wrongCode: "Koden är fel eller gäller inte längre. Kontrollera koden eller be om en ny.",
        .traitsChanged: "Dina uppgifter har ändrats efter att koden skickades. Be om en ny kod.",
        .passwordUnchanged: "Du använder redan det här lösenordet. Välj ett annat.",
        .changedMeanwhile:
            "Kontot ändrades på ett annat ställe samtidigt. Kontrollera dina uppgifter och försök igen.",
        .severalAddresses: "Ändra en adress i taget. Varje adress måste bekräftas innan du kan ändra nästa.",
        .nothingToChange: "Fyll i de uppgifter som du vill ändra.",
        .addressNotProven:
            "Den här adressen finns på ett konto men är inte bekräftad där. Om kontot är ditt kan du logga in med lösenordet eller en annan adress och sedan bekräfta den här adressen. Om kontot inte är ditt kan du skapa ett nytt konto med adressen.",
        .claimCodeSent:
            "Vi har skickat en kod till {address}. Ange den här för att bekräfta att det här är ditt.",
        .lastEntrance:
            "Utan detta kan du inte längre logga in på ditt konto. Ange en adress där du kan ta emot koder.",
        .removalNeedsProof:
            "För att ta bort den här adressen måste du först logga in igen med ditt lösenord eller med en kod som vi skickar till adressen.",
        .passwordNeedsProof:
            "För att byta lösenord måste du först logga in igen med ditt nuvarande lösenord eller återställa kontot.",
        .addressNotVerified: "Bekräfta din e-postadress eller ditt telefonnummer först.",
        .missing: "Fyll i det här fältet.",
        .tooShort: "Det här är för kort. Längden måste vara minst {min_length}, men är {actual_length}.",
        .tooLong: "Det här är för långt. Längden får vara högst {max_length}, men är {actual_length}.",
        .tooSmall: "Värdet är för lågt.",
        .tooLarge: "Värdet är för högt.",
        .wrongType: "Värdet är av fel typ. Rätt typ: {allowed_types}.",
        .invalidEmail: "Det här är inte en giltig e-postadress.",
        .internationalMailbox:
            "Vi kan inte skicka e-post till en adress med bokstäver som ö före @. Använd en annan adress.",
        .invalidPhone: "Det här är inte ett giltigt telefonnummer. Börja med + och landskoden.",
        .invalidDate: "Det här är inte ett giltigt datum. Använd formatet år-månad-dag.",
        .documentNotAccepted: "Bekräfta detta för att fortsätta.",
        .documentChanged: "En ny version har publicerats. Läs den och bekräfta igen.",
        .acceptDocument: "Jag godkänner: {title}",
        .readDocument: "Jag har läst: {title}",
        .declineDocuments: "Avböj och logga ut",
        .tooYoung: "Du måste vara minst {minimum_age} år.",
        .birthdayWithoutYear: "Ange ditt födelsedatum med årtal.",
        .invalidRegion: "Det här är inte en landskod. Använd två bokstäver, till exempel SE.",
        .regionOfOtherPhone:
            "Landet stämmer inte med ditt telefonnummer. Kontakta oss om du har flyttat.",
        .regionChangedRecently: "Du har nyligen bytt land. Du kan byta igen om {days} dagar.",
        .phoneNotVerified: "Det här telefonnumret är inte bekräftat än.",
        .otherPhoneVerified: "Du har bekräftat ett annat telefonnummer än det här.",
        .passwordTooShort: "Lösenordet är för kort. Använd minst {min_length} tecken.",
        .passwordTooLong: "Lösenordet är för långt. Använd högst {max_length} byte.",
        .passwordBreached: "Det här lösenordet har förekommit i en dataläcka. Välj ett annat.",
        .passwordCommon: "Det här lösenordet är för vanligt. Välj ett som är svårare att gissa.",
        .passwordSimilar: "Lösenordet är för likt den adress eller det namn som du loggar in med.",
    ]
}
