; The installer for Windows. build.ps1 makes it; by hand:
;   python packaging/windows/files.py BUNDLE LISTS
;   python packaging/desktop/icons.py ICONS
;   makensis -WX -DLISTS=LISTS -DICONS=ICONS -DOUT=FOLDER packaging/windows/spanlight.nsi
;
; It asks for no rights and installs for one person, or for everyone when that is chosen or /ALLUSERS is given.
; Others: /S (no window), /D=FOLDER (last, without quotes), /CURRENTUSER.
; Exit codes: 0 done, 1 cancelled, 2 stopped by a fault, 32 Spanlight is running, 740 an administrator is needed.

Unicode true
Target amd64-unicode
RequestExecutionLevel user
ManifestDPIAware true
ManifestSupportedOS all
SetCompressor /SOLID lzma
SetCompressorDictSize 64
SetDatablockOptimize on
CRCCheck force
AllowSkipFiles off
ShowInstDetails nevershow
ShowUninstDetails nevershow

!addincludedir "${LISTS}"
!addincludedir "${__FILEDIR__}"

!include MUI2.nsh
!include LogicLib.nsh
!include FileFunc.nsh
!include WinVer.nsh
!include Sections.nsh
!include nsDialogs.nsh
!include about.nsh

!define UNINSTALLER "uninstall-spanlight.exe"
!define UNINSTALL_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\${NAME}"
!define APP_PATHS_KEY "Software\Microsoft\Windows\CurrentVersion\App Paths\spanlight.exe"
!define OWN_KEY "Software\${NAME}"

Name "${NAME}"
OutFile "${OUT}\spanlight-${VERSION}-windows-x86_64.exe"
Caption "${NAME} ${VERSION}"
UninstallCaption "Remove ${NAME}"
BrandingText "${NAME} ${VERSION}"

VIProductVersion "${VERSION_FOUR}"
VIFileVersion "${VERSION_FOUR}"
VIAddVersionKey "ProductName" "${NAME}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "${NAME} installer"
VIAddVersionKey "CompanyName" "${PUBLISHER}"
VIAddVersionKey "LegalCopyright" "${COPYRIGHT}"

!ifdef SIGN
  !finalize 'pwsh -NoProfile -File "${SIGN}" "%1"' = 0
  !uninstfinalize 'pwsh -NoProfile -File "${SIGN}" "%1"' = 0
!endif

Var Everyone ; 1 when it is installed for all who use this computer
Var Kept     ; where the person's own data is

!include scope.nsh
!include running.nsh
!include path.nsh
!include associations.nsh

!define MUI_ICON "${ICONS}/spanlight.ico"
!define MUI_UNICON "${ICONS}/spanlight.ico"
!define MUI_WELCOMEFINISHPAGE_BITMAP "${ICONS}/spanlight-side.bmp"
!define MUI_UNWELCOMEFINISHPAGE_BITMAP "${ICONS}/spanlight-side.bmp"
!define MUI_ABORTWARNING
!define MUI_COMPONENTSPAGE_SMALLDESC
!define MUI_COMPONENTSPAGE_TEXT_TOP "Choose what you would like besides the program."
!define MUI_COMPONENTSPAGE_TEXT_COMPLIST "What is installed:"
!define MUI_DIRECTORYPAGE_TEXT_TOP "${NAME} is installed into this folder."

Page custom AskScope TakeScope
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!define MUI_FINISHPAGE_TITLE "${NAME} is installed"
!define MUI_FINISHPAGE_TEXT "You find it in the Start menu."
!define MUI_FINISHPAGE_RUN
!define MUI_FINISHPAGE_RUN_TEXT "Open ${NAME}"
!define MUI_FINISHPAGE_RUN_FUNCTION OpenSpanlight
!insertmacro MUI_PAGE_FINISH

!define MUI_UNCONFIRMPAGE_TEXT_TOP "${NAME} will be removed from this folder. Only what it installed is deleted."
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!define MUI_FINISHPAGE_TITLE "${NAME} is removed"
!define MUI_FINISHPAGE_TEXT "Your settings, your history and your own models were kept. They are in$\r$\n$Kept$\r$\n$\r$\nDelete this folder if you do not want them any more."
!insertmacro MUI_UNPAGE_FINISH

!insertmacro MUI_LANGUAGE "English"

Section "${NAME}" SectionApp
  SectionIn RO
  Call CloseSpanlight
  Call RemoveOlder
  !include install.nsh
  SetOutPath "$INSTDIR"
  WriteUninstaller "$INSTDIR\${UNINSTALLER}"

  CreateShortCut "$SMPROGRAMS\${NAME}.lnk" "$INSTDIR\spanlight.exe" "" "$INSTDIR\spanlight.exe" 0 SW_SHOWNORMAL "" \
    "${SUMMARY}"

  WriteRegStr SHCTX "${APP_PATHS_KEY}" "" "$INSTDIR\spanlight.exe"

  WriteRegStr SHCTX "${UNINSTALL_KEY}" "DisplayName" "${NAME}"
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "Publisher" "${PUBLISHER}"
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "Comments" "${SUMMARY}"
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "DisplayIcon" "$INSTDIR\spanlight.exe,0"
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "UninstallString" '"$INSTDIR\${UNINSTALLER}"'
  WriteRegStr SHCTX "${UNINSTALL_KEY}" "QuietUninstallString" '"$INSTDIR\${UNINSTALLER}" /S'
  WriteRegDWORD SHCTX "${UNINSTALL_KEY}" "EstimatedSize" ${SIZE_KB}
  WriteRegDWORD SHCTX "${UNINSTALL_KEY}" "NoModify" 1
  WriteRegDWORD SHCTX "${UNINSTALL_KEY}" "NoRepair" 1

  ; What was left out stays left out in the next version.
  WriteRegDWORD SHCTX "${OWN_KEY}\Installer" "OpenWith" 0
  WriteRegDWORD SHCTX "${OWN_KEY}\Installer" "Command" 0
  WriteRegDWORD SHCTX "${OWN_KEY}\Installer" "Desktop" 0
SectionEnd

Section '"Open with" for documents' SectionOpenWith
  Call AddAssociations
  WriteRegDWORD SHCTX "${OWN_KEY}\Installer" "OpenWith" 1
SectionEnd

Section "The command spanlight in terminals" SectionCommand
  Call AddToPath
  WriteRegDWORD SHCTX "${OWN_KEY}\Installer" "Command" 1
SectionEnd

Section /o "Shortcut on the desktop" SectionDesktop
  SetOutPath "$INSTDIR"
  CreateShortCut "$DESKTOP\${NAME}.lnk" "$INSTDIR\spanlight.exe" "" "$INSTDIR\spanlight.exe" 0
  WriteRegDWORD SHCTX "${OWN_KEY}\Installer" "Desktop" 1
SectionEnd

!insertmacro MUI_FUNCTION_DESCRIPTION_BEGIN
  !insertmacro MUI_DESCRIPTION_TEXT ${SectionApp} "The program, its models, and an entry in the Start menu."
  !insertmacro MUI_DESCRIPTION_TEXT ${SectionOpenWith} \
    "Lists ${NAME} under Open with for PDF, Word, Markdown, web pages and text. What opens them now stays as it is."
  !insertmacro MUI_DESCRIPTION_TEXT ${SectionCommand} "Type spanlight in a terminal to ask there."
  !insertmacro MUI_DESCRIPTION_TEXT ${SectionDesktop} "An icon on the desktop."
!insertmacro MUI_FUNCTION_DESCRIPTION_END

Function .onInit
  ${IfNot} ${AtLeastBuild} 17763 ; what Qt runs on
    MessageBox MB_OK|MB_ICONSTOP "${NAME} needs Windows 10, version 1809, or newer." /SD IDOK
    SetErrorLevel 2
    Quit
  ${EndIf}
  System::Call 'kernel32::CreateMutexW(p 0, i 0, w "SpanlightInstaller") p .r0 ?e'
  Pop $1
  ${If} $1 = 183 ; ERROR_ALREADY_EXISTS
    MessageBox MB_OK|MB_ICONINFORMATION "The installer of ${NAME} is already open." /SD IDOK
    SetErrorLevel 2
    Quit
  ${EndIf}
  Call InitScope
  Call ChooseFolder
  Call RememberChoices
FunctionEnd

; The folder where an older version is, the usual one otherwise, unless one was named with /D.
Function ChooseFolder
  ${If} $INSTDIR != ""
    Return
  ${EndIf}
  ReadRegStr $INSTDIR SHCTX "${UNINSTALL_KEY}" "InstallLocation"
  ${If} $INSTDIR == ""
    ${If} $Everyone == 1
      StrCpy $INSTDIR "$PROGRAMFILES64\${NAME}"
    ${Else}
      StrCpy $INSTDIR "$LOCALAPPDATA\Programs\${NAME}"
    ${EndIf}
  ${EndIf}
FunctionEnd

!macro Remembered SECTION VALUE
  ClearErrors
  ReadRegDWORD $0 SHCTX "${OWN_KEY}\Installer" "${VALUE}"
  ${IfNot} ${Errors}
    ${If} $0 = 1
      !insertmacro SelectSection ${SECTION}
    ${Else}
      !insertmacro UnselectSection ${SECTION}
    ${EndIf}
  ${EndIf}
!macroend

Function RememberChoices
  !insertmacro Remembered ${SectionOpenWith} "OpenWith"
  !insertmacro Remembered ${SectionCommand} "Command"
  !insertmacro Remembered ${SectionDesktop} "Desktop"
FunctionEnd

; The older version's own uninstaller knows which files were its own. The entry in the Start menu stays, so that what
; a person pinned stays pinned.
Function RemoveOlder
  ReadRegStr $R0 SHCTX "${UNINSTALL_KEY}" "InstallLocation"
  ${If} $R0 == ""
  ${OrIfNot} ${FileExists} "$R0\${UNINSTALLER}"
    Return
  ${EndIf}
  DetailPrint "Removing the older version"
  ClearErrors
  ExecWait '"$R0\${UNINSTALLER}" /S /UPGRADE _?=$R0' $R1
  ${If} ${Errors}
  ${OrIf} $R1 <> 0
    MessageBox MB_OK|MB_ICONSTOP "The older version could not be removed. Remove it yourself, then start this installer again." \
      /SD IDOK
    SetErrorLevel 2
    Quit
  ${EndIf}
  Delete "$R0\${UNINSTALLER}"
  RMDir "$R0"
FunctionEnd

; Not by the installer itself: where that has an administrator's rights, Spanlight must not get them.
Function OpenSpanlight
  ${If} $Everyone == 1
    Exec '"$WINDIR\explorer.exe" "$INSTDIR\spanlight.exe"'
  ${Else}
    Exec '"$INSTDIR\spanlight.exe"'
  ${EndIf}
FunctionEnd

Function un.onInit
  Call un.InitScope
FunctionEnd

Section "Uninstall"
  Call un.CloseSpanlight
  Call un.RemoveAssociations
  Call un.RemoveFromPath
  ; One that the person put there stays.
  ReadRegDWORD $0 SHCTX "${OWN_KEY}\Installer" "Desktop"
  ${If} $0 = 1
    Delete "$DESKTOP\${NAME}.lnk"
  ${EndIf}
  ; SetOutPath would keep the folder in use.
  !include uninstall.nsh
  ${GetParameters} $R0
  ClearErrors
  ${GetOptions} $R0 "/UPGRADE" $R1
  ${If} ${Errors}
    Delete "$SMPROGRAMS\${NAME}.lnk"
    DeleteRegKey SHCTX "${UNINSTALL_KEY}"
    DeleteRegKey SHCTX "${APP_PATHS_KEY}"
    DeleteRegKey SHCTX "${OWN_KEY}\Installer"
    DeleteRegKey /ifempty SHCTX "${OWN_KEY}"
    Delete "$INSTDIR\${UNINSTALLER}"
    RMDir "$INSTDIR"
    DetailPrint "Your settings, your history and your own models were kept in $Kept"
  ${EndIf}
SectionEnd
