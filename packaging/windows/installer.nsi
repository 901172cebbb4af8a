; The bundle in, setup.exe out. Called by packaging/windows.py, which gives all names:
; NAME CHINESE VERSION PROGRAM FOLDER BUNDLE ICON OUT TYPES
; For the user who runs it only: no administrator is needed, nothing outside the user's folders
; and registry is touched. The user's workspaces are left alone by the uninstaller.

Unicode true
SetCompressor /SOLID lzma
SetCompressorDictSize 64
ManifestDPIAware true
RequestExecutionLevel user

!include "MUI2.nsh"

Name "${NAME}"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\${FOLDER}"
InstallDirRegKey HKCU "Software\${FOLDER}" "Folder"
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "${NAME}"
VIAddVersionKey "FileDescription" "${NAME}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "Apache License 2.0"

!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\${FOLDER}"
!define APPLICATION "Software\Classes\Applications\${PROGRAM}"
!define FOLDERMENU "Software\Classes\Directory\shell\${FOLDER}"

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_ABORTWARNING
!define MUI_FINISHPAGE_RUN "$INSTDIR\${PROGRAM}"

!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_LICENSE "${BUNDLE}\_internal\LICENSE"
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "SimpChinese"

LangString DISPLAYED ${LANG_ENGLISH} "${NAME}"
LangString DISPLAYED ${LANG_SIMPCHINESE} "${CHINESE}"
LangString PART_PROGRAM ${LANG_ENGLISH} "Program"
LangString PART_PROGRAM ${LANG_SIMPCHINESE} "程序"
LangString PART_DESKTOP ${LANG_ENGLISH} "Shortcut on the desktop"
LangString PART_DESKTOP ${LANG_SIMPCHINESE} "桌面快捷方式"
LangString PART_MENU ${LANG_ENGLISH} "Open with, for texts and folders"
LangString PART_MENU ${LANG_SIMPCHINESE} "文本和文件夹的“打开方式”"
LangString MENU_OPEN ${LANG_ENGLISH} "Open in ${NAME}"
LangString MENU_OPEN ${LANG_SIMPCHINESE} "用${CHINESE}打开"
LangString IS_OPEN ${LANG_ENGLISH} "Close ${NAME} first, then try again."
LangString IS_OPEN ${LANG_SIMPCHINESE} "请先关闭${CHINESE}，再重试。"

; The files of the version before go first; while the program runs they cannot.
Function .onInit
  !insertmacro MUI_LANGDLL_DISPLAY
FunctionEnd

Function un.onInit
  !insertmacro MUI_UNGETLANGUAGE
FunctionEnd

!macro REMOVE_PROGRAM
  again:
  ClearErrors
  Delete "$INSTDIR\${PROGRAM}"
  IfErrors 0 +3
    MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(IS_OPEN)" /SD IDCANCEL IDRETRY again
    Abort
  Delete "$INSTDIR\lmstudio.exe"
  RMDir /r "$INSTDIR\_internal"
!macroend

Section "$(PART_PROGRAM)"
  SectionIn RO
  !insertmacro REMOVE_PROGRAM
  SetOutPath "$INSTDIR"
  File /r "${BUNDLE}\*.*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\$(DISPLAYED).lnk" "$INSTDIR\${PROGRAM}"
  WriteRegStr HKCU "Software\${FOLDER}" "Folder" "$INSTDIR"
  WriteRegStr HKCU "Software\${FOLDER}" "Shortcut" "$(DISPLAYED)"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "$(DISPLAYED)"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\${PROGRAM}"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
SectionEnd

Section "$(PART_DESKTOP)"
  CreateShortcut "$DESKTOP\$(DISPLAYED).lnk" "$INSTDIR\${PROGRAM}"
SectionEnd

Section "$(PART_MENU)"
  WriteRegStr HKCU "${APPLICATION}" "FriendlyAppName" "$(DISPLAYED)"
  WriteRegStr HKCU "${APPLICATION}\shell\open\command" "" '"$INSTDIR\${PROGRAM}" "%1"'
  !include "${TYPES}"
  WriteRegStr HKCU "${FOLDERMENU}" "" "$(MENU_OPEN)"
  WriteRegStr HKCU "${FOLDERMENU}" "Icon" "$INSTDIR\${PROGRAM}"
  WriteRegStr HKCU "${FOLDERMENU}\command" "" '"$INSTDIR\${PROGRAM}" "%1"'
SectionEnd

Section "Uninstall"
  !insertmacro REMOVE_PROGRAM
  ReadRegStr $0 HKCU "Software\${FOLDER}" "Shortcut"
  Delete "$SMPROGRAMS\$0.lnk"
  Delete "$DESKTOP\$0.lnk"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  DeleteRegKey HKCU "${APPLICATION}"
  DeleteRegKey HKCU "${FOLDERMENU}"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "Software\${FOLDER}"
SectionEnd
